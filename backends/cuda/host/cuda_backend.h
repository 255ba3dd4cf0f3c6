#pragma once

#include <tern/backends/cuda/host/caching_allocator.h>
#include <tern/backends/cuda/host/pinned_allocator.h>
#include <tern/core/kernels/backend.h>

namespace tern::cuda {

/// CUDA devices as the ops see them. Everything but device_count() throws DeviceError, with the
/// reason, when there is no CUDA to use.
class TERN_API CudaBackend final : public kernels::Backend {
 public:
  detail::CachingAllocator& allocator() override;
  const kernels::KernelTable& kernels() override;
  int device_count() override;
  DeviceIndex current_device() override;
  void check_device(DeviceIndex device) override;
  void* stream(DeviceIndex device) override;
  void copy_bytes(void* to, Device to_device, const void* from, Device from_device,
                  std::size_t bytes, bool non_blocking) override;
  void synchronize(DeviceIndex device) override;
  void record_current_stream(const void* data, DeviceIndex device) override;
  detail::PinnedAllocator* pinned_allocator() override;
  Place place(DeviceIndex device) override;
  kernels::GraphCapture* capture(DeviceIndex device) override;
};

/// The one CUDA backend; it opens the plugin when something is asked of it. Never destroyed.
TERN_API CudaBackend& cuda_backend();

}  // namespace tern::cuda
