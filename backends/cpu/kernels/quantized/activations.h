#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include <tern/backends/cpu/kernels/quantized/block_dot.h>
#include <tern/backends/cpu/kernels/support/scratch.h>

// Rows of activations in 8 bits. Each block of 32 elements has its own scale, as in Q8_0.

namespace tern::cpu {

constexpr std::int64_t kBlock = 32;

/// Rounds a block of 32 floats to q * scale. Returns the scale: NaN if an element is not finite,
/// with q = 0; 0 if all are so small that the inverse of the scale would overflow.
inline float quantize_activations(const float* x, std::int8_t* q) {
  constexpr std::int32_t kInfinity = 0x7f800000;
  constexpr float kSmallest = 127 * std::numeric_limits<float>::min();
  std::int32_t largest = 0;  // magnitudes are ordered as their bits, NaN last
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const std::int32_t size = std::bit_cast<std::int32_t>(x[i]) & 0x7fffffff;
    largest = size > largest ? size : largest;
  }
  const auto size = std::bit_cast<float>(largest);
  const bool is_finite = largest < kInfinity;
  if (!is_finite || size < kSmallest) {
    for (std::int64_t i = 0; i < kBlock; ++i) q[i] = 0;
    return is_finite ? 0 : std::numeric_limits<float>::quiet_NaN();
  }
  const float scale = size / 127, inverse = 127 / size;
  // Adding 1.5 * 2^23 leaves the nearest integer, ties to even, in the low bits of the sum.
  constexpr float kRounder = 12582912;
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const float rounded = x[i] * inverse + kRounder;
    q[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(rounded) -
                                    std::bit_cast<std::int32_t>(kRounder));
  }
  return scale;
}

/// Rows of activations for the weights of a format.
class Activations {
 public:
  /// Quantises rows of floats. `offset` is what the format subtracts from the numbers of its
  /// weights, which the kernels of blocks leave to the start of their sums.
  [[gnu::noinline]] Activations(const float* x, std::int64_t rows, std::int64_t columns,
                                std::int64_t stride, int offset)
      : columns_(columns),
        blocks_(columns / kBlock),
        q_(rows * columns),
        starts_(rows * blocks_ * kStartInts),
        scales_(2 * rows * blocks_) {
    std::int8_t* q = q_.data();
    std::int32_t* starts = starts_.data();
    float* scales = scales_.data();
    for (std::int64_t row = 0; row < rows; ++row, scales += 2 * blocks_) {
      for (std::int64_t b = 0; b < blocks_; ++b, q += kBlock, starts += kStartInts) {
        scales[b] = quantize_activations(x + row * stride + b * kBlock, q);
        scales[blocks_ + b] = scales[b] * static_cast<float>(start_sums(q, offset, starts));
      }
    }
  }

  RowOfActivations row(std::int64_t row) const {
    float* const scales = scales_.data() + 2 * row * blocks_;
    return {q_.data() + row * columns_, starts_.data() + row * blocks_ * kStartInts, scales,
            scales + blocks_};
  }

 private:
  std::int64_t columns_, blocks_;
  Scratch<std::int8_t> q_;
  Scratch<std::int32_t> starts_;
  Scratch<float> scales_;
};

}  // namespace tern::cpu
