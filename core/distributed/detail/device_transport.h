#pragma once

#include <memory>

#include <tern/core/distributed/detail/transport.h>
#include <tern/core/kernels/collectives.h>

namespace tern::distributed::detail {

/// Returns true if collectives of this dtype run between the devices themselves: NCCL is there, has
/// the dtype, and TERN_NCCL=0 does not forbid it. Otherwise they go over host memory.
bool links_devices(Device device, ScalarType dtype);

/// The links between the devices of a group's ranks. Pointers are to memory of the device, calls
/// queue on the current stream and return before the work is done.
class DeviceTransport final : public Transport {
 public:
  /// Connects `device` to those of the other ranks, which `host` links. All ranks call it; where
  /// one cannot, all throw DeviceError.
  DeviceTransport(Transport& host, Device device, double seconds);

  /// Runs `body` on the stream of the links.
  void on_stream(const std::function<void()>& body) { links_->on_stream(body); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void set_timeout(double) override {}
  Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) override;
  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction op) override;
  Result broadcast(void* data, std::int64_t bytes, int root) override;
  Result all_gather(const void* in, void* out, std::int64_t bytes) override;
  Result all_to_all(const void* in, void* out, std::int64_t bytes) override;
  // These go over host memory.
  Result send(const void* data, std::int64_t bytes, int to) override;
  Result recv(void* data, std::int64_t bytes, int from) override;
  Result split(int color, int key, Transport** part) override;
  void enter(const Call*) override {}
  void call_roll(const char*, char*) override {}

 private:
  Result run(const kernels::Collective& collective);

  int rank_, size_;
  std::unique_ptr<kernels::Links> links_;
};

}  // namespace tern::distributed::detail
