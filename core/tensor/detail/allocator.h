#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/memory_stats.h>

namespace tern {

/// The memory of one kind of device. Allocators are thread-safe; pointers are aligned to 64 bytes.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Returns memory for `bytes` bytes (at least 1). Throws OutOfMemoryError, which names the device
  /// and the sizes.
  virtual void* allocate(std::size_t bytes, DeviceIndex device) = 0;
  /// Takes memory back. `bytes` is the size that `allocate` was asked for.
  virtual void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept = 0;
  /// Gives cached memory back to the system.
  virtual void empty_cache() = 0;
  /// Returns what the allocator has done on `device` so far.
  virtual MemoryStats stats(DeviceIndex device) const = 0;
  /// Sets the peaks of `device` to the present values.
  virtual void reset_peak(DeviceIndex device) = 0;
};

namespace testing {
/// Makes the n-th allocation from now on (1 is the next one), on any device, throw
/// OutOfMemoryError. With `onwards` all later allocations fail, too. n = 0 switches the fault off.
TERN_API void fail_allocation(std::int64_t n, bool onwards = false);
}  // namespace testing

namespace detail {
/// Every allocator calls this first; throws when `testing::fail_allocation` says so.
TERN_API void allocation_point(std::size_t bytes, Device device);

/// The allocator of a device type. Defined in core/kernels, which knows the backends.
TERN_API Allocator& allocator_of(DeviceType type);
/// The allocator of pinned host memory. Throws DeviceError when there is no CUDA. Defined there,
/// too.
TERN_API Allocator& pinned_allocator();
}  // namespace detail

}  // namespace tern
