#pragma once

#include <optional>
#include <ostream>

#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>

namespace tern {

/// How a new tensor shall be: dtype, device, requires_grad, pinned memory; each may stay open.
/// A Device, a DeviceType or a ScalarType converts to it.
///
/// Example: zeros({2, 3}, dtype(kDouble).device("cuda:1").requires_grad(true))
class TERN_API TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}

  [[nodiscard]] TensorOptions dtype(ScalarType dtype) const {
    TensorOptions result = *this;
    result.dtype_ = dtype;
    return result;
  }
  [[nodiscard]] TensorOptions device(Device device) const {
    TensorOptions result = *this;
    result.device_ = device;
    return result;
  }
  [[nodiscard]] TensorOptions device(int ordinal) const { return device(Device(ordinal)); }
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index) const {
    return device(Device(type, index));
  }
  [[nodiscard]] TensorOptions requires_grad(bool requires_grad) const {
    TensorOptions result = *this;
    result.requires_grad_ = requires_grad;
    return result;
  }
  [[nodiscard]] TensorOptions pinned_memory(bool pinned) const {
    TensorOptions result = *this;
    result.pinned_memory_ = pinned;
    return result;
  }

  /// The dtype, or the default one.
  ScalarType dtype() const { return dtype_ ? *dtype_ : get_default_dtype(); }
  /// The device, or the default one.
  Device device() const;
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_; }
  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  std::optional<Device> device_opt() const { return device_; }
  /// These options, with `other` filling what is open.
  [[nodiscard]] TensorOptions or_else(const TensorOptions& other) const {
    TensorOptions result = *this;
    if (!result.dtype_) result.dtype_ = other.dtype_;
    if (!result.device_) result.device_ = other.device_;
    return result;
  }

 private:
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  bool requires_grad_ = false;
  bool pinned_memory_ = false;
};

inline TensorOptions dtype(ScalarType dtype) { return TensorOptions(dtype); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(int ordinal) { return TensorOptions(Device(ordinal)); }
inline TensorOptions requires_grad(bool requires_grad = true) {
  return TensorOptions().requires_grad(requires_grad);
}

/// Where factories put a tensor when nothing is said: cpu unless changed.
TERN_API Device get_default_device();
TERN_API void set_default_device(Device device);

TERN_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

}  // namespace tern
