#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>

// Collectives over the devices of several ranks, each of which has one device. The first part is
// plain data for plugins.

namespace tern::kernels {

/// How a collective joins the elements of the ranks. kMean divides them by the number of ranks and
/// adds them.
enum class Joining : std::int32_t { kSum, kMean, kMax, kMin };

/// By what the ranks of a group find each other. One of them makes it, and sends it to the others.
struct CollectiveId {
  char bytes[128];
};

/// A collective, for one rank. `in` and `out` are in the memory of its device, and may be the same.
struct Collective {
  enum class Kind : std::int32_t { kAllReduce, kBroadcast, kAllGather, kReduceScatter, kAllToAll };
  Kind kind;
  const void* in;
  void* out;
  /// Reductions: elements of the result. Others: bytes, for kAllGather and kAllToAll those that go
  /// from one rank to another.
  std::int64_t count;
  ScalarType dtype = kByte;         // of reductions
  Joining joining = Joining::kSum;  // of reductions
  std::int32_t root = 0;            // of kBroadcast
};

/// The links of one rank's device to the devices of the others. They have a stream of their own, on
/// which their work is ordered; the host does not wait for it.
class Links {
 public:
  Links() = default;
  virtual ~Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  /// Runs `body` with the stream of the links current.
  virtual void on_stream(const std::function<void()>& body) = 0;
  /// Queues a collective on the current stream. Throws DeviceError, after which the links cannot be
  /// used any more.
  virtual void run(const Collective& collective) = 0;
};

/// What links the devices of a backend.
class Collectives {
 public:
  Collectives() = default;
  virtual ~Collectives() = default;
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  /// Returns why there can be no links, or an empty string if there can.
  virtual const std::string& missing() = 0;
  virtual CollectiveId make_id() = 0;
  /// Connects a device, when all `size` ranks do, or throws DeviceError after some seconds.
  virtual std::unique_ptr<Links> connect(DeviceIndex device, const CollectiveId& id, int rank,
                                         int size, double seconds) = 0;
};

}  // namespace tern::kernels
