#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/view.h>

// Maps the row-major index of an element to its offsets in several strided tensors. Each GPU thread
// starts at its own index; the host walks from element to element with StrideWalker.

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
    for (int d = ndim - 1; d >= 0; --d) {
      const std::uint32_t rest = sizes[d].quotient(index);
      const std::uint32_t coordinate = index - rest * sizes[d].divisor;
      for (int k = 0; k < K; ++k) out[k] += coordinate * strides[d][k];
      index = rest;
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
    for (int d = small.ndim - 1; d >= 0; --d) {
      const std::int64_t coordinate = index % sizes[d];
      for (int k = 0; k < K; ++k) out[k] += coordinate * small.strides[d][k];
      index /= sizes[d];
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
