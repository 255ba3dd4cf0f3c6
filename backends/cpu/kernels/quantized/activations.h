#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include <tern/backends/cpu/kernels/quantized/block_dot.h>
#include <tern/backends/cpu/kernels/support/scratch.h>

// Rows of activations in 8 bits. Each block of 32 elements has its own scale, as in Q8_0.

namespace tern::cpu {

constexpr std::int64_t kBlock = 32;

/// Rounds a block of 32 floats to q * scale; the other 16 numbers begin `other_half` after the
/// first ones. Returns the scale: NaN if an element is not finite, with q = 0; 0 if all are so
/// small that the inverse of the scale would overflow.
inline float quantize_activations(const float* x, Number* q, std::int64_t other_half) {
  constexpr std::int32_t kInfinity = 0x7f800000;
  constexpr float kSmallest = 127 * std::numeric_limits<float>::min();
  std::int32_t largest = 0;  // magnitudes are ordered as their bits, NaN last
  for (std::int64_t i = 0; i < kBlock; ++i) {
    const std::int32_t size = std::bit_cast<std::int32_t>(x[i]) & 0x7fffffff;
    largest = size > largest ? size : largest;
  }
  const auto size = std::bit_cast<float>(largest);
  const bool is_finite = largest < kInfinity, has_numbers = is_finite && size >= kSmallest;
  const float scale = has_numbers ? size / 127 : 0, inverse = has_numbers ? 127 / size : 0;
  // Adding 1.5 * 2^23 leaves the nearest integer, ties to even, in the low bits of the sum.
  constexpr float kRounder = 12582912;
  for (std::int64_t half = 0; half < 2; ++half) {
    for (std::int64_t i = 0; i < kBlock / 2; ++i) {
      const float rounded = x[16 * half + i] * inverse + kRounder;
      const auto number =
          std::bit_cast<std::int32_t>(rounded) - std::bit_cast<std::int32_t>(kRounder);
      q[half * other_half + index_of_number(i)] = static_cast<Number>(has_numbers ? number : 0);
    }
  }
  return is_finite ? scale : std::numeric_limits<float>::quiet_NaN();
}

/// Rows of activations for the weights of a format.
class Activations {
 public:
  /// Quantises rows of floats. `offset` is what the format subtracts from the numbers of its
  /// weights, which the kernels of blocks leave to the start of their sums; `sum_stride` is the
  /// distance of two sums.
  [[gnu::noinline]] TERN_QUANTIZED Activations(const float* x, std::int64_t rows,
                                               std::int64_t columns, std::int64_t stride,
                                               int offset, int sum_stride)
      : groups_((columns / kBlock + kLanes - 1) / kLanes),
        q_(rows * groups_ * kGroup),
        starts_(rows * groups_ * 4 * kLanes),
        scales_(rows * groups_ * 4 * kLanes),
        sums_(rows * groups_ * 2 * kLanes) {
    const std::int64_t blocks = columns / kBlock, slots = groups_ * kLanes;
    // The blocks of an incomplete last group lie at its end, unless it is the only group.
    const std::int64_t shift = groups_ > 1 ? slots - blocks : 0;
    std::memset(sums_.data(), 0, static_cast<std::size_t>(rows * slots * 2) * sizeof(float));
    for (std::int64_t row = 0; row < rows; ++row) {
      const RowOfActivations parts = this->row(row);
      auto* const q = const_cast<Number*>(parts.q);
      auto* const scales = const_cast<float*>(parts.scales);
      std::memset(q + (groups_ - 1) * kGroup, 0, kGroup * sizeof(Number));
      std::memset(scales + (groups_ - 1) * 4 * kLanes, 0, sizeof(float) * 4 * kLanes);
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t slot = b < slots - kLanes ? b : b + shift;
        Number* const numbers = q + slot / kLanes * kGroup + slot % kLanes * 16;
        const float scale =
            quantize_activations(x + row * stride + b * kBlock, numbers, kGroup / 2);
        std::fill_n(scales + 4 * slot, 4, scale);
      }
      for (std::int64_t group = 0; group < groups_; ++group) {
        const std::int64_t slot = group * kLanes;
        const Ints ones = dot<false>(no_ints(), {fill_bytes(1), fill_bytes(1)}, q + group * kGroup);
        auto* const starts = const_cast<std::int32_t*>(parts.starts) + 4 * slot;
        store(starts, ones);
        for (int lane = 0; lane < kLanes; ++lane) {
          const std::int32_t* const four = starts + std::ptrdiff_t{4} * lane;
          const int sum = four[0] + four[1] + four[2] + four[3];
          const_cast<float*>(parts.sums)[(slot + lane) * sum_stride + sum_stride - 1] =
              scales[4 * (slot + lane)] * static_cast<float>(sum);
        }
        store(starts, scale_ints(ones, -offset));
      }
    }
  }

  RowOfActivations row(std::int64_t row) const {
    const std::int64_t slots = row * groups_ * kLanes;
    return {q_.data() + slots * kBlock, starts_.data() + slots * 4, scales_.data() + slots * 4,
            sums_.data() + slots * 2};
  }

 private:
  static constexpr std::int64_t kGroup = kBlock * kLanes;

  std::int64_t groups_;
  Scratch<Number> q_;
  Scratch<std::int32_t> starts_;
  Scratch<float> scales_, sums_;
};

}  // namespace tern::cpu
