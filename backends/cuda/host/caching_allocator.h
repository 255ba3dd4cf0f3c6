#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <tern/backends/cuda/host/device_caching_allocator.h>
#include <tern/backends/cuda/host/stream.h>
#include <tern/core/tensor/detail/allocator.h>

namespace tern::cuda::detail {

/// The memory of all CUDA devices: a DeviceCachingAllocator for each, behind a lock. Memory belongs
/// to the stream that is current when it is allocated, and during a capture to the pool of the
/// graph.
class TERN_API CachingAllocator final : public Allocator {
 public:
  CachingAllocator();

  void* allocate(std::size_t bytes, DeviceIndex device) override;
  /// The same from the ordinary pool, whatever is captured.
  void* allocate_outside_graphs(std::size_t bytes, DeviceIndex device);
  void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept override;
  void empty_cache() override;
  MemoryStats stats(DeviceIndex device) const override;
  void reset_peak(DeviceIndex device) override;

  /// Says that work on `stream` uses the block of `pointer`, so that freeing it waits for that.
  void record_stream(const void* pointer, Stream stream);
  /// A graph holds its pool, on every device, to let_go().
  void hold(std::uint64_t pool);
  void let_go(std::uint64_t pool);
  /// From here to end_capture() a capture records the work of `stream`.
  void begin_capture(Stream stream);
  void end_capture(Stream stream);
  /// See PluginHost. Gives up rather than wait for the lock.
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

/// PluginHost::find_block.
std::int32_t find_block(std::int32_t device, const void* address, kernels::PluginBlock* block);

}  // namespace tern::cuda::detail
