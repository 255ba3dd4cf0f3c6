#include <tern/backends/cpu/cpu_backend.h>
#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/meta/meta_backend.h>

namespace tern::kernels {

const DeviceTraits& traits_of(Device device) {
  if (device.is_cuda()) return cuda::kTraits;
  return device.is_meta() ? kMetaTraits : kCpuTraits;
}

namespace detail {

void register_builtin_backends(Backend* (&backends)[kDeviceTypes]) {
  backends[static_cast<int>(kCPU)] = &cpu_backend();
  backends[static_cast<int>(kCUDA)] = &cuda::cuda_backend();
  backends[static_cast<int>(kMeta)] = &meta_backend();
}

}  // namespace detail
}  // namespace tern::kernels
