#pragma once

#include <cstdint>

#include <tern/core/tensor/dtype.h>

namespace tern::kernels {

/// The most dimensions that a tensor may have.
constexpr int kMaxDims = 16;

/// A tensor as kernels see it; non-owning. Strides count elements, not bytes.
struct View {
  void* data;
  ScalarType dtype;
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  std::int64_t strides[kMaxDims];
};

/// One number, in the field that the dtype at hand reads: `f` for floating dtypes, `i` for integral
/// ones and bool.
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
