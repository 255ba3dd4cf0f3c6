#pragma once

// torch/cuda.h, c10/cuda/CUDAGuard.h, c10/cuda/CUDAStream.h, c10/cuda/CUDAFunctions.h and
// ATen/cuda/CUDAContext.h.

#include <cstdint>
#include <optional>

#include <tern/backends/cuda/host/cuda.h>
#include <tern/backends/cuda/host/graph.h>
#include <tern/backends/cuda/host/stream.h>
#include <tern/compat/names/generated/names.h>
#include <tern/core/ops/ops.h>

namespace tern::compat {

/// Makes a CUDA device current for a scope, and another one on request.
class CUDAGuard {
 public:
  /// Makes the device current.
  explicit CUDAGuard(DeviceIndex index) : CUDAGuard(Device(kCUDA, index)) {}
  explicit CUDAGuard(Device device)
      : original_(kCUDA, cuda::current_device()), current_(device), guard_(device) {}

  /// Makes another device current; the end of the scope restores the device before the guard.
  void set_device(Device device) {
    if (device.has_index()) cuda::set_device(device.index());
    current_ = device;
  }
  /// Does the same as set_device().
  void reset_device(Device device) { set_device(device); }
  /// Makes the CUDA device with this number current.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Returns the device before the guard.
  Device original_device() const { return original_; }
  /// Returns the device of the last change.
  Device current_device() const { return current_; }

 private:
  Device original_, current_;
  DeviceGuard guard_;
};

/// A guard that does nothing until it gets a device. Nothing of it is instantiated in programs that
/// do not name it.
template <class Guard>
class OptionalDeviceGuardOf {
 public:
  OptionalDeviceGuardOf() = default;
  /// Makes the device current, unless it is empty.
  explicit OptionalDeviceGuardOf(std::optional<Device> device) {
    if (device) set_device(*device);
  }
  explicit OptionalDeviceGuardOf(std::optional<DeviceIndex> index) {
    if (index) set_index(*index);
  }

  /// Makes a device current.
  void set_device(Device device) {
    if (guard_) {
      guard_->set_device(device);
    } else {
      guard_.emplace(device);
    }
  }
  /// Does the same as set_device().
  void reset_device(Device device) { set_device(device); }
  /// Makes the CUDA device with this number current.
  void set_index(DeviceIndex index) { set_device(Device(kCUDA, index)); }
  /// Returns the devices of the guard, if it has one.
  std::optional<Device> original_device() const {
    return guard_ ? std::optional<Device>(guard_->original_device()) : std::nullopt;
  }
  /// Returns the device that the guard made current, if it has one.
  std::optional<Device> current_device() const {
    return guard_ ? std::optional<Device>(guard_->current_device()) : std::nullopt;
  }
  /// Restores the device before the guard.
  void reset() { guard_.reset(); }

 private:
  std::optional<Guard> guard_;
};
/// A CUDAGuard that does nothing until it gets a device.
using OptionalCUDAGuard = OptionalDeviceGuardOf<CUDAGuard>;

/// A guard that does nothing until it gets a stream.
template <class Guard>
class OptionalStreamGuardOf {
 public:
  OptionalStreamGuardOf() = default;
  /// Makes the stream current, unless it is empty.
  explicit OptionalStreamGuardOf(std::optional<cuda::Stream> stream) {
    if (stream) reset_stream(*stream);
  }
  /// Makes another stream current; the end of the scope restores the stream before the guard.
  void reset_stream(cuda::Stream stream) {
    guard_.reset();
    guard_.emplace(stream);
  }
  /// Returns the stream of the guard, if it has one.
  std::optional<cuda::Stream> current_stream() const {
    return guard_ ? std::optional<cuda::Stream>(guard_->current_stream()) : std::nullopt;
  }
  /// Restores the stream before the guard.
  void reset() { guard_.reset(); }

 private:
  std::optional<Guard> guard_;
};
/// A cuda::StreamGuard that does nothing until it gets a stream.
using OptionalCUDAStreamGuard = OptionalStreamGuardOf<cuda::StreamGuard>;

/// Returns true when the CUDA plugin finds a GPU; convolutions then run through cuDNN where it is
/// installed.
inline bool cudnn_is_available() { return cuda::is_available() && backends::cudnn.enabled; }

}  // namespace tern::compat

namespace c10::cuda {
/// Makes a CUDA device current for a scope.
using CUDAGuard = ::tern::compat::CUDAGuard;
/// A CUDAGuard that may have no device.
using OptionalCUDAGuard = ::tern::compat::OptionalCUDAGuard;
/// A CUDAStreamGuard that may have no stream.
using OptionalCUDAStreamGuard = ::tern::compat::OptionalCUDAStreamGuard;
/// Waits for all work of the current device.
inline void device_synchronize() { ::tern::cuda::synchronize(); }
}  // namespace c10::cuda

namespace at::cuda {
/// Makes a CUDA device current for a scope.
using CUDAGuard = ::tern::compat::CUDAGuard;
/// A CUDAGuard that may have no device.
using OptionalCUDAGuard = ::tern::compat::OptionalCUDAGuard;
/// A CUDAStreamGuard that may have no stream.
using OptionalCUDAStreamGuard = ::tern::compat::OptionalCUDAStreamGuard;
/// Returns get_device_properties().
inline ::tern::cuda::DeviceProperties getDeviceProperties(::tern::DeviceIndex device) {
  return ::tern::cuda::get_device_properties(device);
}
/// Returns get_device_properties() of the current device.
inline ::tern::cuda::DeviceProperties getCurrentDeviceProperties() {
  return ::tern::cuda::get_device_properties();
}
}  // namespace at::cuda

namespace torch::cuda {
using ::tern::compat::cudnn_is_available;
}  // namespace torch::cuda
