#pragma once

#include <cstdint>

#include <tern/core/kernels/view.h>

namespace tern::kernels {

/// Visits the elements of kOperands tensors of one shape, the last dimension fastest, and updates
/// the offset (in elements) of each tensor. A shape without dimensions has one element.
template <int kOperands>
class StrideWalker {
 public:
  /// Starts at the first element. The caller owns `sizes` and `strides`, which must outlive this
  /// object.
  StrideWalker(int ndim, const std::int64_t* sizes, const std::int64_t* const (&strides)[kOperands])
      : ndim_(ndim), sizes_(sizes) {
    for (int k = 0; k < kOperands; ++k) strides_[k] = strides[k];
  }

  /// Moves to the element with this row-major index, which must exist.
  void seek(std::int64_t index) {
    for (auto& offset : offsets) offset = 0;
    for (int d = ndim_ - 1; d >= 0; --d) {
      coordinates_[d] = index % sizes_[d];
      index /= sizes_[d];
      for (int k = 0; k < kOperands; ++k) offsets[k] += coordinates_[d] * strides_[k][d];
    }
  }

  /// Moves to the next element; after the last element, to the first.
  void next() {
    for (int d = ndim_ - 1; d >= 0; --d) {
      for (int k = 0; k < kOperands; ++k) offsets[k] += strides_[k][d];
      if (++coordinates_[d] < sizes_[d]) return;
      for (int k = 0; k < kOperands; ++k) offsets[k] -= sizes_[d] * strides_[k][d];
      coordinates_[d] = 0;
    }
  }

  std::int64_t offsets[kOperands] = {};

 private:
  int ndim_;
  const std::int64_t* sizes_;
  const std::int64_t* strides_[kOperands];
  std::int64_t coordinates_[kMaxDims] = {};
};

/// A StrideWalker that knows when it has visited all elements. Kernels of the CPU use StrideWalker
/// and count elements in their own loops: the additional state made some of them 1.4 times slower.
template <int kOperands>
class CountedWalker {
 public:
  /// Starts at the first element, if there is one. See StrideWalker.
  CountedWalker(int ndim, const std::int64_t* sizes,
                const std::int64_t* const (&strides)[kOperands])
      : walker_(ndim, sizes, strides) {
    for (int d = 0; d < ndim; ++d) left_ *= sizes[d];
  }

  /// Returns true when all elements have been visited.
  bool done() const { return left_ == 0; }
  /// Moves to the next element.
  void next() {
    walker_.next();
    --left_;
  }
  /// Returns the offset of the current element in a tensor.
  std::int64_t offset(int operand) const { return walker_.offsets[operand]; }

 private:
  StrideWalker<kOperands> walker_;
  std::int64_t left_ = 1;
};

}  // namespace tern::kernels
