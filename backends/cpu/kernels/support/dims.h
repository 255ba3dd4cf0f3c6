#pragma once

#include <cstdint>
#include <utility>

#include <tern/backends/cpu/kernels/support/divide_up.h>

namespace tern::cpu {

/// Sorts dimensions by the strides of one operand, the fastest last.
inline void sort_dims(int ndim, std::int64_t* sizes, std::int64_t* strides) {
  for (int i = 1; i < ndim; ++i) {
    for (int j = i; j > 0 && strides[j - 1] < strides[j]; --j) {
      std::swap(sizes[j - 1], sizes[j]);
      std::swap(strides[j - 1], strides[j]);
    }
  }
}

inline std::int64_t product(int ndim, const std::int64_t* sizes) {
  std::int64_t result = 1;
  for (int d = 0; d < ndim; ++d) result *= sizes[d];
  return result;
}

}  // namespace tern::cpu
