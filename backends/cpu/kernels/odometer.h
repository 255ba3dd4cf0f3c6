#pragma once

#include <cstdint>
#include <utility>

#include <tern/backends/cpu/kernels/divide_up.h>
#include <tern/core/kernels/view.h>

namespace tern::cpu {

/// Counts through `sizes`, the last dimension fastest, and keeps the offset (in elements) of each
/// of kOperands operands up to date.
template <int kOperands>
class Odometer {
 public:
  Odometer(int ndim, const std::int64_t* sizes, const std::int64_t* const (&strides)[kOperands])
      : ndim_(ndim), sizes_(sizes) {
    for (int k = 0; k < kOperands; ++k) strides_[k] = strides[k];
  }

  /// Goes to the place with this number.
  void seek(std::int64_t place) {
    for (auto& offset : offsets) offset = 0;
    for (int d = ndim_ - 1; d >= 0; --d) {
      index_[d] = place % sizes_[d];
      place /= sizes_[d];
      for (int k = 0; k < kOperands; ++k) offsets[k] += index_[d] * strides_[k][d];
    }
  }

  /// Goes to the next place; after the last comes the first.
  void next() {
    for (int d = ndim_ - 1; d >= 0; --d) {
      for (int k = 0; k < kOperands; ++k) offsets[k] += strides_[k][d];
      if (++index_[d] < sizes_[d]) return;
      for (int k = 0; k < kOperands; ++k) offsets[k] -= sizes_[d] * strides_[k][d];
      index_[d] = 0;
    }
  }

  std::int64_t offsets[kOperands] = {};

 private:
  int ndim_;
  const std::int64_t* sizes_;
  const std::int64_t* strides_[kOperands];
  std::int64_t index_[kernels::kMaxDims] = {};
};

/// Puts dimensions in the order of one operand's memory, the fastest last.
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
