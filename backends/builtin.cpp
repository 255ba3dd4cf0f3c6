#include <tern/backends/cpu/cpu_backend.h>
#include <tern/backends/cuda/host/cuda_backend.h>
#include <tern/backends/meta/meta_backend.h>

namespace tern::kernels::detail {

void register_builtin_backends(Backend* (&backends)[kDeviceTypes]) {
  backends[static_cast<int>(kCPU)] = &cpu_backend();
  backends[static_cast<int>(kCUDA)] = &cuda::cuda_backend();
  backends[static_cast<int>(kMeta)] = &meta_backend();
}

}  // namespace tern::kernels::detail
