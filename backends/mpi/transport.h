#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include <tern/core/distributed/detail/transport.h>

namespace tern::mpi {

using distributed::detail::Message;
using distributed::detail::Reduction;
using distributed::detail::Result;
using distributed::detail::Transport;

/// The links of a communicator. Every call is a non-blocking one of MPI that is tested until it is
/// complete or the time-out has passed: blocking calls have no time-out.
class MpiTransport final : public Transport {
 public:
  /// Owns the communicator.
  explicit MpiTransport(MPI_Comm communicator);
  ~MpiTransport() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void set_timeout(double seconds) override { timeout_ = seconds; }

  Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) override;
  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction op) override;
  Result broadcast(void* data, std::int64_t bytes, int root) override;
  Result all_gather(const void* in, void* out, std::int64_t bytes) override;
  Result all_to_all(const void* in, void* out, std::int64_t bytes) override;
  Result send(const void* data, std::int64_t bytes, int to) override;
  Result recv(void* data, std::int64_t bytes, int from) override;
  bool takes_device_memory() const override { return takes_device_memory_; }
  Result exchange(const Message* messages, std::int64_t count) override;
  Result split(int color, int key, Transport** part) override;
  void enter(const distributed::detail::Call* /*call*/) override {}
  void call_roll(const char* mine, char* positions) override;

 private:
  // A message that MPI may still read.
  struct Sent {
    std::vector<char> bytes;
    MPI_Request request;
  };

  Result complete(int code, MPI_Request* request);
  void drop_sent();

  MPI_Comm communicator_;
  std::int64_t most_bytes_;  // of a rank in one call of MPI
  bool takes_device_memory_, shares_cores_;
  int rank_ = 0, size_ = 1;
  double timeout_ = 1800;
  bool is_late_ = false;
  std::deque<Sent> sent_;
};

}  // namespace tern::mpi
