#pragma once

#include <initializer_list>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Uninitialised elements.
TERN_API Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
/// Uninitialised elements with the given strides, which must not overlap.
TERN_API Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                              const TensorOptions& options = {});
TERN_API Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
/// Every element is `value`, whose kind decides the dtype when it is open.
TERN_API Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
/// The n x n identity, or the first m columns of it.
TERN_API Tensor eye(std::int64_t n, const TensorOptions& options = {});
TERN_API Tensor eye(std::int64_t n, std::int64_t m, const TensorOptions& options = {});
/// start, start + step, ... below end; int64 when all three are integers, else the default dtype.
/// Throws ShapeError when step is 0 or leads away from end.
TERN_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
TERN_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
TERN_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                       const TensorOptions& options = {});
/// `steps` numbers from start to end, both included.
TERN_API Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps,
                         const TensorOptions& options = {});
/// A 0-d tensor.
TERN_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});

/// Same sizes, dtype, device and dimension order as `self`, unless `options` says otherwise.
TERN_API Tensor empty_like(const Tensor& self, const TensorOptions& options = {});
TERN_API Tensor zeros_like(const Tensor& self, const TensorOptions& options = {});
TERN_API Tensor ones_like(const Tensor& self, const TensorOptions& options = {});
TERN_API Tensor full_like(const Tensor& self, const Scalar& value,
                          const TensorOptions& options = {});

/// The memory at `data` as a tensor, not copied: it must outlive the tensor, or `deleter` frees it
/// when the last tensor that shows it is gone. Dtype: the default one unless options say.
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                          const TensorOptions& options = {});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter,
                          const TensorOptions& options = {});

namespace detail {

/// Nested braces of numbers: tensor({{1., 2.}, {3., 4.}}).
class TERN_API TensorData {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> TensorData(T value)
      : value_(value), dtype_(Scalar(value).dtype()), is_scalar_(true) {}
  TensorData(std::initializer_list<TensorData> rows);

  /// Throws ShapeError when rows differ in size.
  Tensor make(const TensorOptions& options) const;

 private:
  void fill(std::vector<Scalar>& out) const;

  Scalar value_;
  ScalarType dtype_;
  bool is_scalar_ = false;
  std::vector<TensorData> rows_;
  DimVector sizes_;
};

}  // namespace detail

/// A tensor of the given numbers: one number makes it 0-d, braces make it 1-d, nested braces more.
/// Integers give int64, bools bool, floating numbers the default dtype.
inline Tensor tensor(const detail::TensorData& data, const TensorOptions& options = {}) {
  return data.make(options);
}
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values,
                                               const TensorOptions& options = {});
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(std::initializer_list<T> values,
                                               const TensorOptions& options = {}) {
  return tensor(std::vector<T>(values), options);
}

namespace detail {
/// Copies `count` host elements of `source_dtype` into a new 1-d tensor.
TERN_API Tensor tensor_from_host(const void* data, std::int64_t count, ScalarType source_dtype,
                                 const TensorOptions& options);
}  // namespace detail

template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values,
                                               const TensorOptions& options) {
  constexpr bool kIsFloating = std::is_floating_point_v<T>;
  // A literal like 1.5 is a double, yet means the default dtype; all integers mean int64.
  const TensorOptions chosen = options.or_else(kIsFloating               ? get_default_dtype()
                                               : std::is_same_v<T, bool> ? kBool
                                                                         : kLong);
  // The same elements as a type that a tensor can have, and std::vector<bool> as an array.
  using Element = std::conditional_t<kIsFloating, T, std::int64_t>;
  if constexpr (std::is_same_v<T, Element>) {
    return detail::tensor_from_host(values.data(), static_cast<std::int64_t>(values.size()),
                                    dtype_of<Element>(), chosen);
  } else {
    const std::vector<Element> wide(values.begin(), values.end());
    return detail::tensor_from_host(wide.data(), static_cast<std::int64_t>(wide.size()),
                                    dtype_of<Element>(), chosen);
  }
}

}  // namespace tern
