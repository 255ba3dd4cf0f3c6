#pragma once

#include <cstdint>
#include <cstdio>

#include <tern/core/kernels/plugin.h>
#include <tern/core/tensor/dtype.h>

// What lies below a ProcessGroup: a transport moves bytes between ranks and reduces them. It checks
// nothing: the group has made sure that all ranks make the same call. A transport may be a plugin,
// which uses no symbol of libtern and throws no exception through this interface.

namespace tern::distributed::detail {

/// How a transport joins the elements of the ranks. A sum of bools is true where any is; the
/// maximum and the minimum of floating point numbers are NaN where any is. kMean is for devices
/// alone: in host memory the group divides the elements and takes the sum.
enum class Reduction : std::int32_t { kSum, kMax, kMin, kMean };

/// How a call of a transport ended.
struct Result {
  enum class Outcome : std::int32_t {
    kDone,
    kLate,    // a rank did not come within the time-out: the group cannot be used any more
    kFailed,  // `text` says why
  };
  Outcome outcome = Outcome::kDone;
  char text[504] = {};
};

/// Returns the result of a call that failed.
inline Result failed(const char* text) {
  Result result{Result::Outcome::kFailed, {}};
  std::snprintf(result.text, sizeof(result.text), "%s", text);
  return result;
}

/// A part of an exchange: bytes that go to another rank, or come from it.
struct Message {
  void* data;
  std::int64_t bytes;
  std::int32_t peer;
  bool is_sent;  // else received
};

/// The size of the text in which a rank says what it waits in.
constexpr std::int64_t kPositionBytes = 256;

/// A call of a group, for transports whose ranks see each other's memory.
struct Call;

/// The links of one rank to the others. One thread at a time uses it. Calls wait for the other
/// ranks, but no longer than the time-out. After kLate the transport may still use the caller's
/// memory, which must then stay; otherwise only until the call returns.
class Transport {
 public:
  virtual ~Transport() = default;
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void set_timeout(double seconds) = 0;

  /// Replaces `count` elements by those of all ranks, joined. All ranks get the same bits.
  virtual Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) = 0;
  /// Joins the ranks' `in`, which have `count` elements for each rank; `out` gets this rank's.
  virtual Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                                Reduction op) = 0;
  virtual Result broadcast(void* data, std::int64_t bytes, int root) = 0;
  /// Fills `out` with `bytes` of each rank, in their order.
  virtual Result all_gather(const void* in, void* out, std::int64_t bytes) = 0;
  /// Sends the r-th `bytes` of `in` to rank r, which stores them in order of the senders.
  virtual Result all_to_all(const void* in, void* out, std::int64_t bytes) = 0;
  /// Queues a copy for rank `to` and does not wait for recv(). The messages of a pair of ranks
  /// arrive in order, and have the same sizes on both sides.
  virtual Result send(const void* data, std::int64_t bytes, int to) = 0;
  virtual Result recv(void* data, std::int64_t bytes, int from) = 0;
  /// Returns true if the data of exchange() may be in the memory of a CUDA device.
  virtual bool takes_device_memory() const { return false; }
  /// Sends and receives, and returns when all is done: at most one message to a rank, and one from
  /// it. Only a transport that takes device memory needs it.
  virtual Result exchange(const Message* /*messages*/, std::int64_t /*count*/) {
    return failed("this transport takes no device memory");
  }
  /// Makes `part` the links between the ranks that give the same color, in order of their keys. The
  /// caller deletes it.
  virtual Result split(int color, int key, Transport** part) = 0;

  /// Notes the call that this rank is in; null: none.
  virtual void enter(const Call* call) = 0;
  /// After kLate: collects what the ranks wait in that did come, kPositionBytes for each rank; the
  /// text of others is empty. `mine` is what this rank waits in.
  virtual void call_roll(const char* mine, char* positions) = 0;
};

/// What a plugin with a transport offers.
struct TransportPlugin {
  std::uint64_t build_id;  // stays first: any libtern can then reject any plugin
  /// Returns the links between all ranks of the job, which live as long as the process; null with
  /// the reason in `result` if there are none.
  Transport* (*start)(Result* result);
};

/// The only symbol of a plugin. The result is never null and lives as long as the process.
using TransportEntry = const TransportPlugin* (*)();

/// Returns a hash that is equal on both sides if the same compiler built both from the same
/// interface. Increase the number when the meaning of something above changes.
constexpr std::uint64_t transport_build_id() {
  return kernels::detail::hash_number(kernels::plugin_build_id(), 2);
}

}  // namespace tern::distributed::detail
