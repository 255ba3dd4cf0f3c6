#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <tern/backends/cuda/host/device_caching_allocator.h>
#include <tern/backends/cuda/host/stream.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cuda::detail {

/// The memory of all CUDA devices: one DeviceCachingAllocator per device, behind a lock. A block
/// belongs to the stream that is current when it is allocated; during a capture it belongs to the
/// graph's pool.
class TERN_API CachingAllocator final : public Allocator {
 public:
  CachingAllocator();

  void* allocate(std::size_t bytes, DeviceIndex device) override;
  /// Allocates from the ordinary pool, even during a capture.
  void* allocate_outside_graphs(std::size_t bytes, DeviceIndex device);
  void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept override;
  void empty_cache() override;
  MemoryStats stats(DeviceIndex device) const override;
  void reset_peak(DeviceIndex device) override;

  /// Records that work on `stream` uses the block at `pointer`, so that freeing the block waits for
  /// this work.
  void record_stream(const void* pointer, Stream stream);
  /// Keeps the pool, on every device, for a graph until let_go().
  void hold(std::uint64_t pool);
  void let_go(std::uint64_t pool);
  /// Marks the work of `stream` as captured until end_capture().
  void begin_capture(Stream stream);
  void end_capture(Stream stream);
  /// Implements PluginHost::find_block. Returns false instead of waiting for the lock.
  bool find_block(DeviceIndex device, const void* address, kernels::PluginBlock* block) const;

 private:
  struct LockedDevice {
    explicit LockedDevice(DeviceIndex device) : allocator(device) {}
    mutable std::mutex mutex;
    DeviceCachingAllocator allocator;
  };
  void* allocate(std::size_t bytes, Stream stream, std::uint64_t pool);
  template <class Body>
  void for_each_device(const Body& body);
  LockedDevice& locked(DeviceIndex device) const {
    return *devices_[static_cast<std::size_t>(device)];
  }

  std::vector<std::unique_ptr<LockedDevice>> devices_;
};

/// Implements PluginHost::find_block.
std::int32_t find_block(std::int32_t device, const void* address, kernels::PluginBlock* block);

}  // namespace tern::cuda::detail
