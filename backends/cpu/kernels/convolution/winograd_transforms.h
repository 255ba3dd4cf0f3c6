#pragma once

#include <tern/backends/cpu/kernels/convolution/stencil.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/vector.h>

// Convolutions by kernels of 3 x 3 weights after Winograd, F(4 x 4, 3 x 3): 36 products of matrices
// of transformed weights and inputs give tiles of 4 x 4 results with a quarter of the
// multiplications. Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015. The
// error is about ten times that of a sum of products.

namespace tern::cpu {

/// The stencils that this algorithm is for, and the transforms of vectors of numbers.
class Winograd {
 public:
  using V = Vector<float>;
  static constexpr int kPoints = 36;
  static constexpr std::int64_t kSide = 4, kPatch = 6;

  /// Returns true for a sum over 3 x 3 neighbours, if this algorithm is the faster one.
  static bool suits(const ConvolutionArgs& args) {
    const bool is_image = args.in[0] == 1 && args.out_sizes[0] == 1 && args.padding[0] == 0;
    if (!is_image || args.op == kernels::ConvolutionOp::kWeightGradient) return false;
    for (int d = 0; d < 3; ++d) {
      if (args.kernel[d] != (d == 0 ? 1 : 3)) return false;
      if (d > 0 && (args.stride[d] != 1 || args.dilation[d] != 1)) return false;
    }
    constexpr std::int64_t kFewestChannels = 16, kFewestTiles = 40;
    const std::int64_t* const extents =
        args.op == kernels::ConvolutionOp::kForward ? args.out_sizes : args.in;
    const std::int64_t tiles = divide_up(extents[1], kSide) * divide_up(extents[2], kSide);
    return std::min(args.inputs, args.outputs) >= kFewestChannels &&
           args.batch * tiles >= kFewestTiles &&
           tiles * kSide * kSide * 3 <= 5 * extents[1] * extents[2];
  }

  /// Returns true if the taps read from the last pixel to the first.
  static bool is_reversed(const Stencil& s) { return s.taps[8].offset[1] < s.taps[0].offset[1]; }

  /// Transforms 3 x 3 weights.
  static void transform_weights(const V* g, V* to) {
    V half[18];
    for (int x = 0; x < 3; ++x) times_g(g + x, 3, half + x, 3);
    for (std::int64_t y = 0; y < kPatch; ++y) times_g(half + y * 3, 1, to + y * kPatch, 1);
  }
  /// Transforms a patch of 6 x 6 inputs.
  static void transform_inputs(const V* d, V* to) {
    V half[kPoints];
    for (int x = 0; x < kPatch; ++x) times_b(d + x, kPatch, half + x, kPatch);
    for (std::int64_t y = 0; y < kPatch; ++y) times_b(half + y * kPatch, 1, to + y * kPatch, 1);
  }
  /// Transforms 6 x 6 sums of products to 4 x 4 results.
  static void transform_sums(const V* m, V* to) {
    V half[kSide * kPatch];
    for (int x = 0; x < kPatch; ++x) times_a(m + x, kPatch, half + x, kPatch);
    for (std::int64_t y = 0; y < kSide; ++y) times_a(half + y * kPatch, 1, to + y * kSide, 1);
  }

 private:
  /// Multiplies three lines by the matrix G.
  static void times_g(const V* g, std::int64_t step, V* to, std::int64_t to_step) {
    const V even = (g[0] + g[2 * step]) * (-1.0f / 6), odd = g[step] * (-1.0f / 6);
    const V low = g[0] * (1.0f / 24) + g[2 * step] * (1.0f / 6), high = g[step] * (1.0f / 12);
    to[0] = g[0] * 0.25f;
    to[to_step] = even + odd;
    to[2 * to_step] = even - odd;
    to[3 * to_step] = low + high;
    to[4 * to_step] = low - high;
    to[5 * to_step] = g[2 * step];
  }

  /// Multiplies six lines by the transposed matrix B.
  static void times_b(const V* d, std::int64_t step, V* to, std::int64_t to_step) {
    const V x = d[4 * step] - 4.0f * d[2 * step], y = d[3 * step] - 4.0f * d[step];
    const V z = d[4 * step] - d[2 * step], w = 2.0f * (d[3 * step] - d[step]);
    to[0] = 4.0f * d[0] - 5.0f * d[2 * step] + d[4 * step];
    to[to_step] = x + y;
    to[2 * to_step] = x - y;
    to[3 * to_step] = z + w;
    to[4 * to_step] = z - w;
    to[5 * to_step] = 4.0f * d[step] - 5.0f * d[3 * step] + d[5 * step];
  }

  /// Multiplies six lines by the transposed matrix A.
  static void times_a(const V* m, std::int64_t step, V* to, std::int64_t to_step) {
    const V p = m[step] + m[2 * step], q = m[step] - m[2 * step];
    const V r = m[3 * step] + m[4 * step], s = 2.0f * (m[3 * step] - m[4 * step]);
    to[0] = m[0] + p + r;
    to[to_step] = q + s;
    to[2 * to_step] = p + 4.0f * r;
    to[3 * to_step] = q + 4.0f * s + m[5 * step];
  }
};

}  // namespace tern::cpu
