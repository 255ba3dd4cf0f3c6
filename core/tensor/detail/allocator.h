#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/memory_stats.h>

namespace tern {

/// Allocates memory on one kind of device. Thread-safe; pointers are aligned to 64 bytes.
class Allocator {
 public:
  virtual ~Allocator() = default;
  /// Returns a block of `bytes` bytes (at least 1). Throws OutOfMemoryError, whose text names the
  /// device and the sizes.
  virtual void* allocate(std::size_t bytes, DeviceIndex device) = 0;
  /// Takes a block back. `bytes` is the size that was passed to `allocate`.
  virtual void deallocate(void* pointer, std::size_t bytes, DeviceIndex device) noexcept = 0;
  /// Returns cached memory to the system.
  virtual void empty_cache() = 0;
  /// Returns the figures of `device` since the program started.
  virtual MemoryStats stats(DeviceIndex device) const = 0;
  /// Sets the peaks of `device` to the current values.
  virtual void reset_peak(DeviceIndex device) = 0;
};

namespace testing {
/// Makes the n-th allocation from now on (1 is the next one), on any device, throw
/// OutOfMemoryError. With `onwards` all later allocations fail, too. n = 0 switches the fault off.
TERN_API void fail_allocation(std::int64_t n, bool onwards = false);
}  // namespace testing

namespace detail {
/// Throws OutOfMemoryError when `testing::fail_allocation` demands it. Every allocator calls this
/// function before it allocates.
TERN_API void allocation_point(std::size_t bytes, Device device);

/// Returns the allocator of a device type. Defined in core/kernels, which knows the backends.
TERN_API Allocator& allocator_of(DeviceType type);
/// Returns the allocator of pinned host memory. Throws DeviceError when there is no CUDA. Defined
/// in core/kernels.
TERN_API Allocator& pinned_allocator();
}  // namespace detail

}  // namespace tern
