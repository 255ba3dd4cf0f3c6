#pragma once

#include <initializer_list>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a tensor with uninitialised elements.
///
/// Example:
///   Tensor x = tern::empty({2, 3}, tern::kCUDA);
TERN_API Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
inline Tensor empty(IntArrayRef sizes, const TensorOptions& options,
                    std::optional<MemoryFormat> memory_format) {
  return empty(sizes, options.memory_format(memory_format));
}
/// Returns a tensor with uninitialised elements and the given strides, in elements. The strides may
/// leave gaps. Throws ShapeError for negative strides and when elements overlap.
TERN_API Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                              const TensorOptions& options = {});
/// Returns a tensor of zeros. Throws ShapeError for a negative size.
TERN_API Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
/// Returns a tensor of ones. Throws ShapeError for a negative size.
TERN_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
/// Returns a tensor of `value`. An open dtype follows from the value: bool, int64 or the default
/// dtype. Throws Error when the dtype cannot hold the value.
TERN_API Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
/// Returns the n x n identity matrix, or its first m columns (n x m, ones on the main diagonal).
/// Throws ShapeError for a negative size.
TERN_API Tensor eye(StrictInt n, const TensorOptions& options = {});
TERN_API Tensor eye(StrictInt n, StrictInt m, const TensorOptions& options = {});
/// Returns start, start + step, ... below end, as a 1-d tensor. `start` is 0 and `step` is 1 by
/// default. An open dtype becomes int64 when all numbers are integers, else the default dtype.
/// Throws ShapeError when step is 0 or leads away from end.
///
/// Example:
///   tern::arange(3);           // tensor([0, 1, 2])
///   tern::arange(1, 2.5, 0.5); // tensor([1.0000, 1.5000, 2.0000])
TERN_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
TERN_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
TERN_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                       const TensorOptions& options = {});
/// Returns start, start + step, ... up to end, which is included, as a 1-d tensor of the default
/// dtype; use arange() or linspace() in new programs. Throws ShapeError when step is 0 or leads
/// away from end, NotImplementedError for bool.
TERN_API Tensor range(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
TERN_API Tensor range(const Scalar& start, const Scalar& end, const Scalar& step,
                      const TensorOptions& options = {});
/// Returns a 0-d tensor of `value` in the default dtype unless options say otherwise. Throws Error
/// when the dtype cannot hold the value.
TERN_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});

/// Returns an uninitialised tensor with the sizes, dtype, device and dimension order of `input`,
/// unless `options` or the memory format say otherwise.
TERN_API Tensor empty_like(const Tensor& input, const TensorOptions& options = {});
inline Tensor empty_like(const Tensor& input, const TensorOptions& options,
                         std::optional<MemoryFormat> memory_format) {
  return empty_like(input, options.memory_format(memory_format));
}
/// Returns zeros with the sizes, dtype, device and dimension order of `input`, unless `options` say
/// otherwise.
TERN_API Tensor zeros_like(const Tensor& input, const TensorOptions& options = {});
inline Tensor zeros_like(const Tensor& input, const TensorOptions& options,
                         std::optional<MemoryFormat> memory_format) {
  return zeros_like(input, options.memory_format(memory_format));
}
/// Returns ones with the sizes, dtype, device and dimension order of `input`, unless `options` say
/// otherwise.
TERN_API Tensor ones_like(const Tensor& input, const TensorOptions& options = {});
inline Tensor ones_like(const Tensor& input, const TensorOptions& options,
                        std::optional<MemoryFormat> memory_format) {
  return ones_like(input, options.memory_format(memory_format));
}
/// Returns a tensor of `value` with the sizes, dtype, device and dimension order of `input`, unless
/// `options` say otherwise. Throws Error when the dtype cannot hold the value.
TERN_API Tensor full_like(const Tensor& input, const Scalar& value,
                          const TensorOptions& options = {});
inline Tensor full_like(const Tensor& input, const Scalar& value, const TensorOptions& options,
                        std::optional<MemoryFormat> memory_format) {
  return full_like(input, value, options.memory_format(memory_format));
}

/// Returns the memory at `data` as a tensor, without a copy. The memory must outlive the tensor and
/// all its views; `deleter`, if given, is called with `data` when the last of them is freed.
/// Strides count elements (row-major by default). An open dtype is the default dtype. Throws
/// ShapeError for negative strides, and Error for a null pointer unless there are no elements.
///
/// Example:
///   std::vector<float> values(6);
///   Tensor x = tern::from_blob(values.data(), {2, 3});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                          const TensorOptions& options = {});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, std::function<void(void*)> deleter,
                          const TensorOptions& options = {});
TERN_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                          std::function<void(void*)> deleter, const TensorOptions& options = {});

namespace detail {

/// Numbers in nested braces: tensor({{1., 2.}, {3., 4.}}).
class TERN_API TensorData {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> TensorData(T value)
      : value_(value), dtype_(Scalar(value).dtype()), is_scalar_(true) {}
  TensorData(std::initializer_list<TensorData> rows);
  /// Copies the numbers of an array.
  template <class T>
  requires std::is_arithmetic_v<T> TensorData(ArrayRef<T> values) : dtype_(dtype_of_number<T>()) {
    rows_.assign(values.begin(), values.end());
    sizes_.push_back(static_cast<std::int64_t>(values.size()));
  }

  /// Throws ShapeError when rows differ in size.
  Tensor make(const TensorOptions& options) const;

  /// Returns true for a number, false for braces.
  bool is_scalar() const { return is_scalar_; }
  /// Returns the number.
  const Scalar& scalar() const { return value_; }
  /// Returns the rows.
  const std::vector<TensorData>& rows() const { return rows_; }
  /// Returns the sizes of the tensor.
  IntArrayRef sizes() const { return sizes_; }
  /// Returns the numbers in braces.
  std::string text() const;
  /// Returns the dtype that an open one becomes.
  ScalarType scalar_type() const { return dtype_; }

 private:
  template <class T>
  static ScalarType dtype_of_number() {
    return Scalar(T()).dtype();
  }
  void fill(std::vector<Scalar>& out) const;

  Scalar value_;
  ScalarType dtype_;
  bool is_scalar_ = false;
  std::vector<TensorData> rows_;
  DimVector sizes_;
};

/// The type of the numbers in nested vectors.
template <class T>
struct NestedNumbers {
  using Number = T;
  static constexpr bool kIsNested = std::is_arithmetic_v<T>;
};
template <class T>
struct NestedNumbers<std::vector<T>> : NestedNumbers<T> {};

}  // namespace detail

/// Returns a tensor of the given numbers. One number gives a 0-d tensor, braces a 1-d tensor,
/// nested braces more dimensions. An open dtype becomes int64 for integers, bool for bools, the
/// default dtype for floating numbers. Throws ShapeError when rows differ in size.
///
/// Example:
///   Tensor a = tern::tensor(1.5);
///   Tensor b = tern::tensor({{1, 2}, {3, 4}}, tern::kFloat);
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
template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(ArrayRef<T> values,
                                               const TensorOptions& options = {}) {
  return tensor(values.vec(), options);
}

/// Returns a tensor of the numbers in nested vectors, with one dimension per level. Throws
/// ShapeError when rows differ in size.
///
/// Example:
///   std::vector<std::vector<float>> rows = {{1, 2}, {3, 4}};
///   Tensor x = tern::tensor(rows);
template <class T>
requires detail::NestedNumbers<T>::kIsNested Tensor tensor(const std::vector<std::vector<T>>& rows,
                                                           const TensorOptions& options = {});

namespace detail {

/// Copies host elements of `source_dtype` (int64, float32 or float64) into a new tensor. Throws
/// Error when an integer dtype cannot hold an element.
TERN_API Tensor tensor_from_host(const void* data, IntArrayRef sizes, ScalarType source_dtype,
                                 const TensorOptions& options);

/// Copies numbers in row-major order into a new tensor.
template <class T>
Tensor tensor_of(const std::vector<T>& values, IntArrayRef sizes, const TensorOptions& options) {
  constexpr bool kIsFloating = std::is_floating_point_v<T>;
  // A literal like 1.5 is a double but means the default dtype; all integers mean int64.
  const TensorOptions chosen = options.or_else(kIsFloating               ? get_default_dtype()
                                               : std::is_same_v<T, bool> ? kBool
                                                                         : kLong);
  // Integers of other sizes and bools are converted to int64 first.
  using Element = std::conditional_t<kIsFloating, T, std::int64_t>;
  if constexpr (std::is_same_v<T, Element>) {
    return tensor_from_host(values.data(), sizes, dtype_of<Element>(), chosen);
  } else {
    std::vector<Element> wide;
    wide.reserve(values.size());
    for (const T value : values) wide.push_back(Scalar(value).toLong());
    return tensor_from_host(wide.data(), sizes, dtype_of<Element>(), chosen);
  }
}

/// Appends the sizes of the first rows to `sizes` and all numbers to `out`; checks all other rows.
template <class T, class Number>
void append_rows(const std::vector<T>& rows, std::size_t dim, DimVector& sizes,
                 std::vector<Number>& out) {
  const auto length = static_cast<std::int64_t>(rows.size());
  if (dim == sizes.size()) sizes.push_back(length);
  TERN_CHECK(length == sizes[dim], ShapeError, "expected sequence of length ", sizes[dim],
             " at dim ", dim, " (got ", length, ")");
  if constexpr (std::is_arithmetic_v<T>) {
    out.insert(out.end(), rows.begin(), rows.end());
  } else {
    for (const T& row : rows) append_rows(row, dim + 1, sizes, out);
  }
}

}  // namespace detail

template <class T>
requires std::is_arithmetic_v<T> Tensor tensor(const std::vector<T>& values,
                                               const TensorOptions& options) {
  return detail::tensor_of(values, {static_cast<std::int64_t>(values.size())}, options);
}

template <class T>
requires detail::NestedNumbers<T>::kIsNested Tensor tensor(const std::vector<std::vector<T>>& rows,
                                                           const TensorOptions& options) {
  DimVector sizes;
  std::vector<typename detail::NestedNumbers<T>::Number> numbers;
  detail::append_rows(rows, 0, sizes, numbers);
  return detail::tensor_of(numbers, sizes, options);
}

template <class T>
requires std::is_arithmetic_v<T> Tensor Tensor::new_tensor(const std::vector<T>& values,
                                                           const TensorOptions& options)
const { return tensor(values, options.or_else(this->options())); }

}  // namespace tern
