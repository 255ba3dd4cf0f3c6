#pragma once

#include <algorithm>
#include <cstdlib>

#include <tern/backends/cuda/device/shape.h>

namespace tern::cuda::device {

/// Places numbered row-major, and where they are in K tensors. Unlike Shape it takes any count.
template <int K>
struct Places {
  std::int64_t count = 1;
  Shape<K> shape;
  std::int64_t sizes[kMaxDims];

  void add_dim(std::int64_t size, const std::int64_t (&strides)[K]) {
    count *= size;
    if (size <= 1) return;  // nothing to walk along
    sizes[shape.ndim] = size;
    // Of a dimension with more places than a Shape counts, it keeps the strides alone.
    shape.add_dim(std::min<std::int64_t>(size, 0x7fffffff), strides);
  }
  /// Whether number * stride is the offset.
  TERN_HOST_DEVICE bool is_row() const { return shape.ndim == 1; }
  TERN_HOST_DEVICE void offsets(std::int64_t number, std::int64_t (&out)[K]) const {
    if (count <= 0x7fffffff) return shape.offsets(static_cast<std::uint32_t>(number), out);
    for (int k = 0; k < K; ++k) out[k] = 0;
    for (int d = shape.ndim - 1; d >= 0; --d) {
      const std::int64_t place = number % sizes[d];
      for (int k = 0; k < K; ++k) out[k] += place * shape.strides[d][k];
      number /= sizes[d];
    }
  }
  /// How far neighbours of the last dimension are in the first tensor.
  std::int64_t step() const {
    const std::int64_t stride = shape.ndim == 0 ? 0 : std::abs(shape.strides[shape.ndim - 1][0]);
    return stride == 0 ? INT64_MAX : stride;
  }
  std::int64_t run() const { return shape.ndim == 0 ? 1 : sizes[shape.ndim - 1]; }
};

}  // namespace tern::cuda::device
