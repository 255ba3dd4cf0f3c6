#pragma once

#include <functional>
#include <memory>

#include <tern/core/distributed/detail/device_transport.h>
#include <tern/core/kernels/collectives.h>

namespace tern::distributed::detail {

/// Returns true if NCCL can link the device to those of other ranks, and TERN_NCCL=0 does not
/// forbid it.
bool has_nccl(Device device);
/// Returns true if NCCL has the dtype.
bool is_of_nccl(ScalarType dtype);

/// The links of NCCL between the devices of a group's ranks, which have a stream of their own.
/// Calls queue on the current stream and return before the work is done.
class NcclTransport final : public DeviceTransport {
 public:
  /// Connects `device` to those of the other ranks, which `host` links. All ranks call it; where
  /// one cannot, all throw DeviceError.
  NcclTransport(Transport& host, Device device, double seconds);

  /// Runs `body` on the stream of the links.
  void on_stream(const std::function<void()>& body) { links_->on_stream(body); }

  Result all_reduce(void* data, std::int64_t count, ScalarType dtype, Reduction op) override;
  Result reduce_scatter(const void* in, void* out, std::int64_t count, ScalarType dtype,
                        Reduction op) override;
  Result broadcast(void* data, std::int64_t bytes, int root) override;
  Result all_gather(const void* in, void* out, std::int64_t bytes) override;
  Result all_to_all(const void* in, void* out, std::int64_t bytes) override;

 private:
  Result run(const kernels::Collective& collective);

  std::unique_ptr<kernels::Links> links_;
};

}  // namespace tern::distributed::detail
