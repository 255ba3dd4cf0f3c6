#pragma once

#include <cstdint>

#include <tern/core/kernels/families/pooling.h>
#include <tern/core/kernels/math/is_nan.h>

// Max pooling of 2 x 2 windows, the most common pooling. A row takes a few vectors, less than the
// general kernel needs to prepare its columns.

namespace tern::cpu {

/// Returns true for max pooling with indices by windows of 2 x 2 that cover no padding.
inline bool takes_squares(const kernels::PoolingArgs& args) {
  if (args.op != kernels::PoolingOp::kMax || args.indices == nullptr) return false;
  bool is = args.windows == kernels::PoolingWindows::kRegular && args.sizes[0] == 1 &&
            args.out_sizes[0] == 1;
  for (int d = 1; d < 3; ++d) {
    is = is && args.kernel[d] == 2 && args.stride[d] == 2 && args.padding[d] == 0 &&
         args.dilation[d] == 1 && 2 * args.out_sizes[d] <= args.sizes[d];
  }
  return is;
}

/// Computes a plane of such a pooling.
inline void take_squares(const kernels::PoolingArgs& args, std::int64_t plane) {
  const std::int64_t width = args.sizes[2], n = args.out_sizes[2];
  const auto below = static_cast<std::int32_t>(width);
  const std::int64_t first = plane * args.out_sizes[1];
  for (std::int64_t y = 0; y < args.out_sizes[1]; ++y) {
    const std::int64_t offset = 2 * y * width;
    const float* __restrict const in =
        static_cast<const float*>(args.in) + plane * args.sizes[1] * width + offset;
    float* __restrict const out = static_cast<float*>(args.out) + (first + y) * n;
    std::int64_t* __restrict const indices = args.indices + (first + y) * n;
    for (std::int64_t o = 0; o < n; ++o) {
      float value = in[2 * o];
      std::int32_t at = 0;
      const auto take = [&](float x, std::int32_t place) {
        const bool wins = (x > value) | kernels::is_nan(x);
        value = wins ? x : value;
        at = wins ? place : at;
      };
      take(in[2 * o + 1], 1);
      take(in[2 * o + width], below);
      take(in[2 * o + width + 1], below + 1);
      out[o] = value;
      indices[o] = offset + 2 * o + at;
    }
  }
}

}  // namespace tern::cpu
