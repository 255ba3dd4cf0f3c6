#include <tern/core/ops/common/detail/host_copy.h>

#include <tern/core/kernels/backend.h>
#include <tern/core/ops/ops.h>

namespace tern::detail {

Tensor copy_of_host(const Tensor& host, Device device) {
  kernels::GraphCapture* const capture = kernels::capture_on(device);
  if (capture == nullptr) return host.to(device);
  const Tensor pinned = host.pin_memory();
  capture->after_replay(device.index(), [pinned] {});  // lives as long as the graph
  return pinned.to(device, /*non_blocking=*/true);
}

}  // namespace tern::detail
