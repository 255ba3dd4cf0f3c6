#pragma once

#include <cstdint>

#include <tern/core/kernels/view.h>

namespace tern::kernels {

/// Walks through the elements of kOperands tensors of one shape, the last dimension fastest, and
/// keeps the offset (in elements) of each tensor up to date. Zero dimensions are one element.
template <int kOperands>
class StrideWalker {
 public:
  /// Starts at the first element. `sizes` and `strides` stay the caller's.
  StrideWalker(int ndim, const std::int64_t* sizes, const std::int64_t* const (&strides)[kOperands])
      : ndim_(ndim), sizes_(sizes) {
    for (int k = 0; k < kOperands; ++k) strides_[k] = strides[k];
    for (int d = 0; d < ndim; ++d) done_ = done_ || sizes[d] == 0;
  }

  /// Goes to the element with this row-major index.
  void seek(std::int64_t index) {
    for (auto& offset : offsets) offset = 0;
    for (int d = ndim_ - 1; d >= 0; --d) {
      coordinates_[d] = index % sizes_[d];
      index /= sizes_[d];
      for (int k = 0; k < kOperands; ++k) offsets[k] += coordinates_[d] * strides_[k][d];
    }
  }

  /// Goes to the next element; after the last one to the first, and done() becomes true.
  void next() {
    for (int d = ndim_ - 1; d >= 0; --d) {
      for (int k = 0; k < kOperands; ++k) offsets[k] += strides_[k][d];
      if (++coordinates_[d] < sizes_[d]) return;
      for (int k = 0; k < kOperands; ++k) offsets[k] -= sizes_[d] * strides_[k][d];
      coordinates_[d] = 0;
    }
    done_ = true;
  }

  /// Whether all elements have been visited; at once when there are none.
  bool done() const { return done_; }

  std::int64_t offsets[kOperands] = {};

 private:
  int ndim_;
  bool done_ = false;
  const std::int64_t* sizes_;
  const std::int64_t* strides_[kOperands];
  std::int64_t coordinates_[kMaxDims] = {};
};

}  // namespace tern::kernels
