#pragma once

#include <iosfwd>
#include <optional>

#include <tern/core/tensor/device.h>
#include <tern/core/tensor/dtype.h>
#include <tern/core/tensor/memory_format.h>

namespace tern {

/// The dtype, the device, requires_grad, pinned memory and the memory format of a new tensor. Each
/// may be left open. A ScalarType, a Device, a DeviceType, the text of a device and a MemoryFormat
/// convert to TensorOptions; a bare integer does not, since it could mean a number or a size. The
/// setters return changed copies.
///
/// Example:
///   tern::zeros({2, 3}, tern::kDouble);
///   tern::zeros({2, 3}, "cuda:1");
///   tern::zeros({2, 3}, tern::dtype(tern::kDouble).device("cuda:1").requires_grad(true));
class TERN_API TensorOptions {
 public:
  /// Leaves everything open.
  TensorOptions() = default;
  /// Sets the dtype and leaves the rest open.
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(TypeMeta dtype) : dtype_(dtype) {}
  /// Sets the device and leaves the rest open.
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType type) : device_(Device(type)) {}
  /// Sets the memory format and leaves the rest open.
  TensorOptions(MemoryFormat format) : memory_format_(format) {}
  /// Sets the layout, which must be Strided, and leaves the rest open.
  TensorOptions(Layout layout) : TensorOptions(TensorOptions().layout(layout)) {}
  /// Sets the device from a text such as "cuda:1". Throws DeviceError for a text that names none.
  template <detail::TextArgument T>
  TensorOptions(const T& device) : device_(Device(device)) {}

  /// Returns these options with another dtype, or with an open one.
  [[nodiscard]] TensorOptions dtype(std::optional<ScalarType> dtype) const {
    TensorOptions result = *this;
    result.dtype_ = dtype;
    return result;
  }
  /// Returns these options with the dtype of a C++ type.
  template <class T>
  [[nodiscard]] TensorOptions dtype() const {
    return dtype(dtype_of<T>());
  }
  /// Returns these options with another device, or with an open one. An integer is the index of a
  /// CUDA device.
  [[nodiscard]] TensorOptions device(Device device) const {
    TensorOptions result = *this;
    result.device_ = device;
    return result;
  }
  template <class Optional>
  requires(std::is_same_v<Optional, std::optional<Device>> ||
           std::is_same_v<Optional, std::nullopt_t>) [[nodiscard]] TensorOptions
      device(const Optional& device) const {
    TensorOptions result = *this;
    result.device_ = device;
    return result;
  }
  [[nodiscard]] TensorOptions device(int ordinal) const { return device(Device(ordinal)); }
  template <class T>
  requires detail::kIsBool<T> TensorOptions device(T)
  const = delete;
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index) const {
    return device(Device(type, index));
  }
  /// Returns these options with another requires_grad (false by default).
  [[nodiscard]] TensorOptions requires_grad(std::optional<StrictBool> requires_grad) const {
    TensorOptions result = *this;
    result.requires_grad_ = requires_grad;
    return result;
  }
  /// Returns these options with or without pinned host memory (without by default).
  [[nodiscard]] TensorOptions pinned_memory(std::optional<StrictBool> pinned) const {
    TensorOptions result = *this;
    result.pinned_memory_ = pinned;
    return result;
  }
  /// Returns these options with another memory format, or with an open one.
  [[nodiscard]] TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    TensorOptions result = *this;
    result.memory_format_ = format;
    return result;
  }
  /// Returns these options for a layout: strided, or open. Throws NotImplementedError for others.
  [[nodiscard]] TensorOptions layout(std::optional<Layout> layout) const;

  /// Returns the dtype, or the default dtype when the dtype is open.
  TypeMeta dtype() const {
    return dtype_ ? TypeMeta::fromScalarType(*dtype_) : get_default_dtype();
  }
  /// Returns the device, or the default device when the device is open.
  Device device() const;
  /// Returns true when the new tensor requires a gradient.
  bool requires_grad() const { return requires_grad_ && *requires_grad_; }
  /// Returns true when the new tensor gets pinned host memory.
  bool pinned_memory() const { return pinned_memory_ && *pinned_memory_; }
  /// Returns how the elements are stored: strided.
  Layout layout() const { return kStrided; }
  /// Returns the index of device().
  DeviceIndex device_index() const { return device().index(); }
  /// Returns the dtype, or nothing when the dtype is open.
  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  /// Returns the device, or nothing when the device is open.
  std::optional<Device> device_opt() const { return device_; }
  /// Returns the memory format, or nothing when it is open.
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
  /// Returns requires_grad, or nothing when it is open.
  std::optional<bool> requires_grad_opt() const {
    return requires_grad_ ? std::optional<bool>(*requires_grad_) : std::nullopt;
  }
  /// Returns pinned_memory, or nothing when it is open.
  std::optional<bool> pinned_memory_opt() const {
    return pinned_memory_ ? std::optional<bool>(*pinned_memory_) : std::nullopt;
  }
  /// Returns the layout, or nothing when it is open.
  std::optional<Layout> layout_opt() const { return layout_; }
  /// Returns true when the dtype is not open.
  bool has_dtype() const { return dtype_.has_value(); }
  /// Returns true when the device is not open.
  bool has_device() const { return device_.has_value(); }
  /// Returns true when the layout is not open.
  bool has_layout() const { return layout_.has_value(); }
  /// Returns true when requires_grad is not open.
  bool has_requires_grad() const { return requires_grad_.has_value(); }
  /// Returns true when pinned_memory is not open.
  bool has_pinned_memory() const { return pinned_memory_.has_value(); }
  /// Returns true when the memory format is not open.
  bool has_memory_format() const { return memory_format_.has_value(); }
  /// Returns these options with the open dtype and device taken from `other`.
  [[nodiscard]] TensorOptions or_else(const TensorOptions& other) const {
    TensorOptions result = *this;
    if (!result.dtype_) result.dtype_ = other.dtype_;
    if (!result.device_) result.device_ = other.device_;
    return result;
  }

  /// Returns these options with what is set in `other` taken from there.
  [[nodiscard]] TensorOptions merge_in(const TensorOptions& other) const {
    TensorOptions result = other.or_else(*this);
    if (!result.requires_grad_) result.requires_grad_ = requires_grad_;
    if (!result.pinned_memory_) result.pinned_memory_ = pinned_memory_;
    if (!result.layout_) result.layout_ = layout_;
    if (!result.memory_format_) result.memory_format_ = memory_format_;
    return result;
  }

 private:
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  std::optional<StrictBool> requires_grad_;
  std::optional<StrictBool> pinned_memory_;
  std::optional<Layout> layout_;
  std::optional<MemoryFormat> memory_format_;
};

/// Returns options with this dtype and the rest open.
inline TensorOptions dtype(ScalarType dtype) { return TensorOptions(dtype); }
/// Returns options with this device and the rest open. An integer is the index of a CUDA device.
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device(int ordinal) { return TensorOptions(Device(ordinal)); }
template <class T>
requires detail::kIsBool<T> TensorOptions device(T)
= delete;
/// Returns options with this layout and the rest open.
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
/// Returns options with this memory format and the rest open.
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }
/// Returns options with this requires_grad and the rest open.
inline TensorOptions requires_grad(StrictBool requires_grad = true) {
  return TensorOptions().requires_grad(requires_grad);
}

/// Returns the device of new tensors whose device is open: the CPU unless changed.
TERN_API Device get_default_device();
/// Sets the device of new tensors whose device is open. An integer is the index of a CUDA device.
TERN_API void set_default_device(Device device);
inline void set_default_device(int ordinal) { set_default_device(Device(ordinal)); }
template <class T>
requires detail::kIsBool<T>
void set_default_device(T) = delete;

/// Prints all four options and marks those that are open with "(default)".
TERN_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

}  // namespace tern
