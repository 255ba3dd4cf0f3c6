#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/view.h>

// Maps the row-major index of an element to its offsets in several strided tensors. Each GPU thread
// starts at its own index; the host walks from element to element with StrideWalker.

// Before a loop over dimensions, which most kernels have, some several times. Few dimensions are
// left after merging; nvcc would unroll the loop four times, with a second loop for the rest.
#ifdef __CUDA_ARCH__
#define TERN_EACH_DIM _Pragma("unroll 1")
#else
#define TERN_EACH_DIM
#endif

namespace tern::cuda::device {

using namespace kernels;

/// Divides numbers below 2^31 by a fixed divisor with a multiplication and a shift, because GPUs
/// have no division instruction (Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994).
struct Divider {
  std::uint32_t divisor, magic, shift;

  Divider() = default;
  explicit Divider(std::int64_t number) : divisor(static_cast<std::uint32_t>(number)), shift(0) {
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t excess = (std::uint64_t{1} << shift) - divisor;
    magic = static_cast<std::uint32_t>((excess << 32) / divisor + 1);
  }
  TERN_HOST_DEVICE std::uint32_t quotient(std::uint32_t number) const {
    const auto high = static_cast<std::uint32_t>((std::uint64_t{number} * magic) >> 32);
    return (high + number) >> shift;
  }
};

/// Computes the offsets of elements in K tensors of one shape with less than 2^31 elements. The
/// last dimension varies fastest.
template <int K>
struct StridedIndex32 {
  std::int32_t ndim = 0;
  Divider sizes[kMaxDims];
  std::int64_t strides[kMaxDims][K];

  void add_dim(std::int64_t size, const std::int64_t (&dim_strides)[K]) {
    sizes[ndim] = Divider(size);
    for (int k = 0; k < K; ++k) strides[ndim][k] = dim_strides[k];
    ++ndim;
  }
  /// Computes the offsets, in elements, of the element with this row-major index.
  TERN_HOST_DEVICE void offsets(std::uint32_t index, std::int64_t (&out)[K]) const {
    for (int k = 0; k < K; ++k) out[k] = 0;
    TERN_EACH_DIM
    for (int d = ndim - 1; d >= 0; --d) {
      const std::uint32_t rest = sizes[d].quotient(index);
      const std::uint32_t coordinate = index - rest * sizes[d].divisor;
      for (int k = 0; k < K; ++k) out[k] += coordinate * strides[d][k];
      index = rest;
    }
  }
  /// Computes the same for elements at distances of `step`, in one loop over the dimensions.
  template <int kCount>
  TERN_HOST_DEVICE void offsets(std::uint32_t first, std::uint32_t step,
                                std::int64_t (&out)[kCount][K]) const {
    std::uint32_t index[kCount];
    for (int i = 0; i < kCount; ++i) {
      index[i] = first + static_cast<std::uint32_t>(i) * step;
      for (int k = 0; k < K; ++k) out[i][k] = 0;
    }
    TERN_EACH_DIM
    for (int d = ndim - 1; d >= 0; --d) {
      for (int i = 0; i < kCount; ++i) {
        const std::uint32_t rest = sizes[d].quotient(index[i]);
        const std::uint32_t coordinate = index[i] - rest * sizes[d].divisor;
        for (int k = 0; k < K; ++k) out[i][k] += coordinate * strides[d][k];
        index[i] = rest;
      }
    }
  }
};

/// The same for any number of elements.
template <int K>
struct StridedIndex {
  std::int64_t count = 1;
  StridedIndex32<K> small;
  std::int64_t sizes[kMaxDims];

  void add_dim(std::int64_t size, const std::int64_t (&strides)[K]) {
    count *= size;
    if (size <= 1) return;  // its coordinate is always 0
    sizes[small.ndim] = size;
    // For dimensions that exceed 32 bits, only the strides of `small` are used.
    small.add_dim(std::min<std::int64_t>(size, 0x7fffffff), strides);
  }
  /// Returns true if an element's offset is index * stride.
  TERN_HOST_DEVICE bool is_row() const { return small.ndim == 1; }
  /// Computes the offsets, in elements, of the element with this row-major index.
  TERN_HOST_DEVICE void offsets(std::int64_t index, std::int64_t (&out)[K]) const {
    if (count <= 0x7fffffff) return small.offsets(static_cast<std::uint32_t>(index), out);
    for (int k = 0; k < K; ++k) out[k] = 0;
    TERN_EACH_DIM
    for (int d = small.ndim - 1; d >= 0; --d) {
      const std::int64_t coordinate = index % sizes[d];
      for (int k = 0; k < K; ++k) out[k] += coordinate * small.strides[d][k];
      index /= sizes[d];
    }
  }
  /// Computes the same for elements at distances of `step`, in one loop over the dimensions.
  template <int kCount>
  TERN_HOST_DEVICE void offsets(std::int64_t first, std::int64_t step,
                                std::int64_t (&out)[kCount][K]) const {
    if (count <= 0x7fffffff) {
      return small.offsets(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(step),
                           out);
    }
    std::int64_t index[kCount];
    for (int i = 0; i < kCount; ++i) {
      index[i] = first + i * step;
      for (int k = 0; k < K; ++k) out[i][k] = 0;
    }
    TERN_EACH_DIM
    for (int d = small.ndim - 1; d >= 0; --d) {
      for (int i = 0; i < kCount; ++i) {
        const std::int64_t coordinate = index[i] % sizes[d];
        for (int k = 0; k < K; ++k) out[i][k] += coordinate * small.strides[d][k];
        index[i] /= sizes[d];
      }
    }
  }
  /// Returns the distance between neighbours of the last dimension in the first tensor.
  std::int64_t step() const {
    const std::int64_t stride = small.ndim == 0 ? 0 : std::abs(small.strides[small.ndim - 1][0]);
    return stride == 0 ? INT64_MAX : stride;
  }
  /// Returns the size of the last dimension.
  std::int64_t row_size() const { return small.ndim == 0 ? 1 : sizes[small.ndim - 1]; }
};

}  // namespace tern::cuda::device
