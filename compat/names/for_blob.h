#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include <tern/compat/names/at.h>
#include <tern/core/ops/create/creation.h>

namespace at {

/// Makes a tensor of existing memory; see for_blob().
class TensorMaker {
 public:
  /// Takes the address of the memory and the sizes.
  TensorMaker(void* data, IntArrayRef sizes) : data_(data), sizes_(sizes) {}
  /// Sets the strides in elements; row-major unless given.
  TensorMaker& strides(OptionalIntArrayRef strides) {
    strides_ = strides;
    return *this;
  }
  /// Sets the number of elements before the first; 0 unless given.
  TensorMaker& storage_offset(std::optional<std::int64_t> offset) {
    offset_ = offset.value_or(0);
    return *this;
  }
  /// Sets what is called with the address when the last tensor of the memory is gone.
  TensorMaker& deleter(std::function<void(void*)> deleter) {
    deleter_ = std::move(deleter);
    return *this;
  }
  /// Sets an object that the memory belongs to, and what is called with it at the end.
  TensorMaker& context(void* context, void (*release)(void*) = nullptr) {
    if (release != nullptr) deleter_ = [=](void* /*data*/) { release(context); };
    return *this;
  }
  /// Sets the device of the memory; that of the options unless given.
  TensorMaker& target_device(std::optional<Device> device) {
    device_ = device;
    return *this;
  }
  /// Sets dtype and device.
  TensorMaker& options(const TensorOptions& options) {
    options_ = options;
    return *this;
  }
  /// Returns the tensor. Throws as from_blob().
  Tensor make_tensor() const {
    const TensorOptions options = device_ ? options_.device(*device_) : options_;
    const auto skipped = static_cast<std::size_t>(offset_) * element_size(options.dtype());
    void* const first = static_cast<std::byte*>(data_) + skipped;
    const auto free = [deleter = deleter_, data = data_](void* /*first*/) {
      if (deleter) deleter(data);
    };
    return strides_ ? ::tern::from_blob(first, sizes_, *strides_, free, options)
                    : ::tern::from_blob(first, sizes_, free, options);
  }

 private:
  void* data_;
  IntArrayRef sizes_;
  OptionalIntArrayRef strides_;
  std::int64_t offset_ = 0;
  std::function<void(void*)> deleter_;
  std::optional<Device> device_;
  TensorOptions options_;
};

/// Begins a tensor of the memory at `data`, which is not copied.
///
/// Example:
///   auto x = torch::for_blob(data, {2, 3}).strides({1, 2}).options(torch::kInt).make_tensor();
inline TensorMaker for_blob(void* data, IntArrayRef sizes) { return {data, sizes}; }

}  // namespace at
