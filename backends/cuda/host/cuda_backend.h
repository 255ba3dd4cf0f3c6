#pragma once

#include <tern/backends/cuda/host/caching_allocator.h>
#include <tern/backends/cuda/host/pinned_allocator.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>

namespace tern::cuda {

inline constexpr kernels::DeviceTraits kTraits{.has_indices = true,
                                               .queues_work = true,
                                               .has_generators = true,
                                               .captures_graphs = true,
                                               .adds_in_any_order = true,
                                               .type_prefix = "CUDA"};

/// The backend of CUDA devices. All functions but device_count() throw DeviceError, with the
/// reason, if CUDA cannot be used.
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
  Runner runner(DeviceIndex device) override;
  std::function<void()> order_after(DeviceIndex device) override;
  kernels::Collectives* collectives() override;
  kernels::GraphCapture* capture(DeviceIndex device) override;
  const kernels::RangeCalls* ranges() override;
  void* record_time(DeviceIndex device) noexcept override;
  std::int64_t take_elapsed(DeviceIndex device, void* start, void* end) noexcept override;
};

/// Returns the one CUDA backend, which opens the plugin at its first use. Never destroyed.
TERN_API CudaBackend& cuda_backend();

}  // namespace tern::cuda
