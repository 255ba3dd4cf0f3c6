#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/core/base/array_ref.h>

namespace tern {

/// Elements of a tensor in host memory, read and written by index. An accessor of N dimensions
/// gives accessors of N - 1 dimensions, down to the elements. Indices are not checked. Made by
/// Tensor::accessor().
template <class T, std::size_t N>
class TensorAccessor {
 public:
  /// Describes elements at `data`; the arrays of N sizes and strides must outlive the accessor.
  /// Strides count elements.
  TensorAccessor(T* data, const std::int64_t* sizes, const std::int64_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}

  /// Returns the slice `index` of the first dimension; a reference to an element in the last one.
  decltype(auto) operator[](std::int64_t index) const {
    T* const first = data_ + index * strides_[0];
    if constexpr (N == 1) {
      return static_cast<T&>(*first);
    } else {
      return TensorAccessor<T, N - 1>(first, sizes_ + 1, strides_ + 1);
    }
  }
  /// Returns the size of dimension `dim`.
  std::int64_t size(std::int64_t dim) const { return sizes_[dim]; }
  /// Returns the distance between neighbours along dimension `dim`, in elements.
  std::int64_t stride(std::int64_t dim) const { return strides_[dim]; }
  /// Returns the sizes of all dimensions.
  IntArrayRef sizes() const { return {sizes_, N}; }
  /// Returns the strides of all dimensions, in elements.
  IntArrayRef strides() const { return {strides_, N}; }
  /// Returns the address of the first element.
  T* data() const { return data_; }

 private:
  T* data_;
  const std::int64_t* sizes_;
  const std::int64_t* strides_;
};

}  // namespace tern
