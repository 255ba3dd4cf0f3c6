#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <tern/backends/cuda/host/stream.h>
#include <tern/core/base/visibility.h>
#include <tern/core/tensor/device.h>
#include <tern/core/tensor/memory_stats.h>

// The CUDA API for users. Programs that use it link no CUDA library: a plugin does the work and is
// opened by the first call. See docs/devices.md.

namespace tern::cuda {

/// The largest number of devices that one process uses; further devices are not counted.
constexpr int kMaxDevices = 64;

/// Returns true when there is a CUDA device to use. Starts no driver, so that processes forked
/// later can use CUDA. Throws DeviceError only for a wrong TERN_SIMULATE_CUDA or TERN_CUDA in the
/// environment.
TERN_API bool is_available();
/// Returns why is_available() is false; empty when it is true.
TERN_API std::string unavailable_reason();
/// Returns the number of devices; 0 when CUDA is not available.
TERN_API DeviceIndex device_count();

/// Returns the device that `cuda` without a number means for the calling thread: 0 at first. Throws
/// DeviceError when CUDA is not available.
TERN_API DeviceIndex current_device();
/// Makes `device` the current device of the calling thread, for tern and, as cudaSetDevice does,
/// for kernels that the program starts itself. Throws DeviceError ("CUDA error: invalid device
/// ordinal") for a device that does not exist. Prefer DeviceGuard, which restores the device.
TERN_API void set_device(StrictDeviceIndex device);

/// The properties of one device.
struct DeviceProperties {
  /// The driver's name of the device.
  std::string name;
  int major = 0, minor = 0;       // compute capability
  std::int64_t total_memory = 0;  // bytes
  /// The number of multiprocessors.
  int multi_processor_count = 0;
  /// The largest number of threads that a multiprocessor runs at a time.
  int max_threads_per_multi_processor = 0;
  /// The number of threads in a warp.
  int warp_size = 0;
};
/// Returns the properties of a device; -1 means the current device.
TERN_API DeviceProperties get_device_properties(StrictDeviceIndex device = -1);
/// Returns the driver's name of a device; -1 means the current device.
TERN_API std::string get_device_name(StrictDeviceIndex device = -1);
/// Returns true when kernels and copies of `device` can access the memory of `peer` directly.
/// Copies work in either case.
TERN_API bool can_device_access_peer(StrictDeviceIndex device, StrictDeviceIndex peer);

/// Returns the bytes that tensors use on a device, in whole blocks of 512 bytes; -1 means the
/// current device.
TERN_API std::int64_t memory_allocated(StrictDeviceIndex device = -1);
/// Returns the largest memory_allocated() since the last reset.
TERN_API std::int64_t max_memory_allocated(StrictDeviceIndex device = -1);
/// Returns the bytes taken from a device, used or cached; -1 means the current device.
TERN_API std::int64_t memory_reserved(StrictDeviceIndex device = -1);
/// Returns the largest memory_reserved() since the last reset.
TERN_API std::int64_t max_memory_reserved(StrictDeviceIndex device = -1);
/// Sets both maxima to the current values.
TERN_API void reset_peak_memory_stats(StrictDeviceIndex device = -1);
/// Returns all figures of the caching allocator; -1 means the current device.
TERN_API MemoryStats memory_stats(StrictDeviceIndex device = -1);
/// Returns the free and the total bytes of a device, as the driver reports them.
TERN_API std::pair<std::int64_t, std::int64_t> mem_get_info(StrictDeviceIndex device = -1);
/// Gives cached memory back to the devices. Pinned host memory stays cached, as in PyTorch. Does
/// nothing without CUDA.
TERN_API void empty_cache();

/// Seeds the default generator of the current device. Does nothing without CUDA.
TERN_API void manual_seed(std::uint64_t seed);

/// Waits for all work of a device. Throws the error of that work. -1 means the current device.
TERN_API void synchronize(StrictDeviceIndex device = -1);

namespace detail {
/// Throws DeviceError unless the device exists.
TERN_API void check_ordinal(DeviceIndex device);
/// Returns the current device for -1, else `device`. Throws DeviceError unless the device exists.
TERN_API DeviceIndex resolve(DeviceIndex device);
/// Sets the current device and returns the previous one.
TERN_API CurrentDevice exchange_device(DeviceIndex device);
/// Restores what exchange_device() returned, without starting a device that nobody has used.
TERN_API void restore_device(CurrentDevice before) noexcept;
}  // namespace detail
}  // namespace tern::cuda

namespace tern {

/// Makes a CUDA device current for a scope, as cuda::set_device() does, and restores the previous
/// device at its end. Does nothing for a device that is not CUDA or has no index.
///
/// Example:
///   {
///     tern::DeviceGuard guard(1);
///     Tensor x = tern::zeros({2}, tern::kCUDA);  // on cuda:1
///   }
class TERN_API DeviceGuard {
 public:
  /// Makes the device current. Throws DeviceError for a device that does not exist.
  explicit DeviceGuard(Device device);
  /// Makes the CUDA device with this number current.
  explicit DeviceGuard(int cuda_index) : DeviceGuard(Device(cuda_index)) {}
  template <class T>
  requires tern::detail::kIsBool<T>
  explicit DeviceGuard(T) = delete;
  /// Restores the previous device.
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  cuda::detail::CurrentDevice previous_;
};

namespace cuda {
using tern::DeviceGuard;
/// libtorch's name of DeviceGuard.
using CUDAGuard = DeviceGuard;
}  // namespace cuda

}  // namespace tern
