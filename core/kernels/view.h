#pragma once

#include <cstdint>

#include <tern/core/tensor/dtype.h>

namespace tern::kernels {

/// The maximum number of dimensions of a tensor.
constexpr int kMaxDims = 16;

/// A tensor as kernels see it. Does not own the memory. Strides count elements, not bytes.
struct View {
  void* data;
  ScalarType dtype;
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  std::int64_t strides[kMaxDims];
};

/// One number, stored for both kinds of dtypes: floating dtypes read `f`, integral dtypes and bool
/// read `i`.
struct Immediate {
  double f;
  std::int64_t i;
};

/// Returns the field of an Immediate that T reads.
template <class T>
constexpr T immediate_value(const Immediate& immediate) {
  if constexpr (is_floating_point(dtype_of<T>())) {
    return static_cast<T>(immediate.f);
  } else {
    return static_cast<T>(immediate.i);
  }
}

}  // namespace tern::kernels
