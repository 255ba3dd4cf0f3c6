#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/memory_stats.h>

// CUDA as users see it. A program that uses this links no CUDA library: what does the work is a
// plugin, opened at the first call. docs/devices.md tells the whole story.

namespace tern::cuda {

/// The most devices that one process uses; further ones are not counted.
constexpr int kMaxDevices = 64;

/// Whether there is a device to use. Throws DeviceError only for a wrong TERN_SIMULATE_CUDA or
/// TERN_CUDA.
TERN_API bool is_available();
/// Why is_available() is false; empty when it is true.
TERN_API std::string unavailable_reason();
/// How many devices there are; 0 when CUDA is not available.
TERN_API DeviceIndex device_count();

/// The device that `cuda` without a number means to the calling thread: 0 at first. Throws
/// DeviceError when CUDA is not available, as everything below does.
TERN_API DeviceIndex current_device();
/// Throws DeviceError ("CUDA error: invalid device ordinal") for a device that does not exist.
TERN_API void set_device(DeviceIndex device);

/// Facts about one device.
struct DeviceProperties {
  std::string name;
  int major = 0, minor = 0;       // compute capability
  std::int64_t total_memory = 0;  // bytes
  int multi_processor_count = 0;
  int max_threads_per_multi_processor = 0;
  int warp_size = 0;
};
/// Here and below, -1 is the current device.
TERN_API DeviceProperties get_device_properties(DeviceIndex device = -1);
/// As the driver calls it.
TERN_API std::string get_device_name(DeviceIndex device = -1);
/// Whether kernels and copies of `device` reach the memory of `peer` directly. Copies work anyway.
TERN_API bool can_device_access_peer(DeviceIndex device, DeviceIndex peer);

/// Bytes in use by tensors, counted in whole blocks of 512 bytes.
TERN_API std::int64_t memory_allocated(DeviceIndex device = -1);
/// The most that memory_allocated has been since the last reset.
TERN_API std::int64_t max_memory_allocated(DeviceIndex device = -1);
/// Bytes taken from the device: in use or kept for reuse.
TERN_API std::int64_t memory_reserved(DeviceIndex device = -1);
/// The most that memory_reserved has been since the last reset.
TERN_API std::int64_t max_memory_reserved(DeviceIndex device = -1);
/// Lets both maxima start from what is in use and kept now.
TERN_API void reset_peak_memory_stats(DeviceIndex device = -1);
/// All that the allocator counts.
TERN_API MemoryStats memory_stats(DeviceIndex device = -1);
/// Bytes of the device that are free, and all of them, as the driver sees it.
TERN_API std::pair<std::int64_t, std::int64_t> mem_get_info(DeviceIndex device = -1);
/// Gives memory that is kept for reuse back to the devices; pinned host memory stays, as in
/// PyTorch. Does nothing without CUDA.
TERN_API void empty_cache();

/// Seeds the default generator of the current device. Does nothing without CUDA.
TERN_API void manual_seed(std::uint64_t seed);

/// Waits for all work of a device and throws what went wrong in it.
TERN_API void synchronize(DeviceIndex device = -1);

namespace detail {
/// Throws DeviceError unless the device exists.
TERN_API void check_ordinal(DeviceIndex device);
/// The current device for -1, else `device`, which must exist.
TERN_API DeviceIndex resolve(DeviceIndex device);
/// set_device for destructors: takes only what current_device() returned.
TERN_API void restore_device(DeviceIndex device) noexcept;
}  // namespace detail
}  // namespace tern::cuda

namespace tern {

/// Makes a CUDA device current for this scope; restores the previous one, also on throw. Does
/// nothing for a device that is not CUDA, or that has no index.
class TERN_API DeviceGuard {
 public:
  explicit DeviceGuard(Device device);
  explicit DeviceGuard(int cuda_index) : DeviceGuard(Device(cuda_index)) {}
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  DeviceIndex previous_ = -1;  // -1: nothing to restore
};

namespace cuda {
using tern::DeviceGuard;
using CUDAGuard = DeviceGuard;
}  // namespace cuda

}  // namespace tern
