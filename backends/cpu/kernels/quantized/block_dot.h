#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tern/backends/cpu/kernels/quantized/lanes.h>
#include <tern/core/base/block_format.h>

// Inner products of rows of blocks with rows of activations in 8 bits. Products and sums within a
// block are exact integers, so the instruction sets differ by the rounding of float sums alone.

namespace tern::cpu {

/// What products need to know of formats of 32 elements.
template <BlockFormat format>
struct BlockTraits;
template <>
struct BlockTraits<BlockFormat::kQ8_0> {
  static constexpr int kBytes = 34, kNumbers = 2;  // where the numbers begin
  static constexpr int kOffset = kSignedByOffset ? 128 : 0;
  static constexpr bool kHasMinimum = false;
};
template <>
struct BlockTraits<BlockFormat::kQ4_0> {
  static constexpr int kBytes = 18, kNumbers = 2, kOffset = 8;
  static constexpr bool kHasMinimum = false;
};
template <>
struct BlockTraits<BlockFormat::kQ4_1> {
  static constexpr int kBytes = 20, kNumbers = 4, kOffset = 0;
  static constexpr bool kHasMinimum = true;
};
template <>
struct BlockTraits<BlockFormat::kQ4_K> {
  static constexpr int kBytes = 144, kNumbers = 16, kOffset = 0;
  static constexpr bool kHasMinimum = true;
};

/// A row of activations in groups of kLanes blocks: 16 numbers of each block and then the other 16.
/// A block has a lane of the sums with which its integer sums start, a lane of its scale, and
/// scale * sum of its numbers: after a zero, unless the format is Q4_K.
struct RowOfActivations {
  const Number* q;
  const std::int32_t* starts;
  const float *scales, *sums;
};

/// Where products go: out[feature + c * column].
struct Target {
  float* out;
  std::int64_t column;
  const float* bias;  // or null

  void put(std::int64_t feature, int c, float sum) const {
    out[feature + c * column] = bias != nullptr ? sum + bias[feature] : sum;
  }
};

/// Rows of blocks.
struct RowsOfBlocks {
  const std::uint8_t* data;
  std::int64_t bytes, blocks;  // of a row
  std::int64_t begin, end;     // rows to multiply
};

/// The scales and minima of the 8 parts of a block of Q4_K, in 6 bits each.
struct SmallScales {
  std::uint8_t scales[8], minima[8];

  explicit SmallScales(const std::uint8_t* bytes) {
    std::uint32_t a, b, c;
    std::memcpy(&a, bytes, 4);
    std::memcpy(&b, bytes + 4, 4);
    std::memcpy(&c, bytes + 8, 4);
    // Four of each lie in the low 6 bits of a and b. The others have their low 4 bits in c, and
    // their high 2 bits above those of a and b.
    const std::uint32_t words[] = {a & 0x3f3f3f3fu, (c & 0x0f0f0f0fu) | (a >> 2 & 0x30303030u),
                                   b & 0x3f3f3f3fu,
                                   (c >> 4 & 0x0f0f0f0fu) | (b >> 2 & 0x30303030u)};
    std::memcpy(scales, words, 8);
    std::memcpy(minima, words + 2, 8);
  }
};

/// Returns the weights of kLanes blocks.
template <BlockFormat format>
inline Halves weights_of(const std::uint8_t* blocks) {
  constexpr int kBytes = BlockTraits<format>::kBytes;
  const std::uint8_t* const numbers = blocks + BlockTraits<format>::kNumbers;
  const auto bytes = load_lanes(numbers, kBytes);
  if constexpr (format == BlockFormat::kQ8_0) {
    return {bytes, load_lanes(numbers + 16, kBytes)};
  } else {
    return {low_nibbles(bytes), high_nibbles(bytes)};
  }
}

/// Multiplies rows of blocks of 32 elements.
template <BlockFormat format, int C>
TERN_QUANTIZED void multiply_small_blocks(const RowsOfBlocks& rows, const RowOfActivations* x,
                                          const Target& to) {
  using Traits = BlockTraits<format>;
  // Measured: two rows of Q8_0 are faster than four.
  constexpr int kMost = format == BlockFormat::kQ8_0 ? 2 : 4;
  constexpr int R = C == 1 ? std::min(kRowsTogether, kMost) : 1;
  const std::int64_t last = std::max<std::int64_t>(rows.blocks - kLanes, 0);
  std::uint8_t padded[R][kLanes * Traits::kBytes] = {};
  for (std::int64_t f = rows.begin; f < rows.end; f += R) {
    const std::uint8_t* row[R];
    Floats sums[R][C];
    Pairs minima[R][C];
    for (int r = 0; r < R; ++r) {
      row[r] = rows.data + std::min(f + r, rows.end - 1) * rows.bytes;
      if (rows.blocks < kLanes) {
        std::memcpy(padded[r], row[r], static_cast<std::size_t>(rows.bytes));
        row[r] = padded[r];
      }
      for (int c = 0; c < C; ++c) sums[r][c] = no_floats(), minima[r][c] = no_pairs();
    }
    for (std::int64_t b = 0; b < rows.blocks; b += kLanes) {
      // The last group begins earlier if the row has no whole number of groups. Its activations are
      // zero where the group before has been there.
      const std::int64_t first = std::min(b, last) * Traits::kBytes;
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) {
        const std::uint8_t* const blocks = row[r] + first;
        prefetch(blocks);
        if (kLanes * Traits::kBytes > 96) prefetch(blocks + 64);
        const Halves weights = weights_of<format>(blocks);
        const Pairs numbers = pairs_of<Traits::kBytes>(blocks);
        const Floats scale = spread(numbers);
#pragma GCC unroll 4
        for (int c = 0; c < C; ++c) {
          const Ints start = Traits::kOffset != 0 ? load(x[c].starts + 4 * b) : no_ints();
          const Ints products = dot<format == BlockFormat::kQ8_0>(start, weights, x[c].q + 32 * b);
          sums[r][c] =
              multiply_add(products, multiply(scale, load(x[c].scales + 4 * b)), sums[r][c]);
          if constexpr (Traits::kHasMinimum) {
            minima[r][c] = multiply_add(numbers, load_pairs(x[c].sums + 2 * b), minima[r][c]);
          }
        }
      }
    }
    for (int r = 0; r < R && f + r < rows.end; ++r) {
      for (int c = 0; c < C; ++c) {
        const float sum = sum_lanes(sums[r][c]);
        to.put(f + r, c, Traits::kHasMinimum ? sum + sum_lanes(minima[r][c]) : sum);
      }
    }
  }
}

/// Multiplies rows of large blocks, of 8 times 32 elements with small scales and minima.
template <int C>
TERN_QUANTIZED void multiply_large_blocks(const RowsOfBlocks& rows, const RowOfActivations* x,
                                          const Target& to) {
  using Traits = BlockTraits<BlockFormat::kQ4_K>;
  for (std::int64_t f = rows.begin; f < rows.end; ++f) {
    Floats sums[C];
    Eight minima[C];
    for (int c = 0; c < C; ++c) sums[c] = no_floats(), minima[c] = Eight{};
    for (std::int64_t b = 0; b < rows.blocks; ++b) {
      const std::uint8_t* const block = rows.data + f * rows.bytes + b * Traits::kBytes;
      prefetch(block);
      prefetch(block + Traits::kBytes / 2);
      const SmallScales small(block + 4);
      const Eight scales = eight_of(small.scales, block),
                  minimum = eight_of(small.minima, block + 2);
      for (int c = 0; c < C; ++c) {
        minima[c] = multiply_add(minimum, load_eight(x[c].sums + 8 * b), minima[c]);
      }
#pragma GCC unroll 4
      for (int j = 0; j < 8; j += kLanes) {
        const Halves weights = load_parts(block + Traits::kNumbers, j);
        const Floats scale = spread(scales, j);
        const std::int64_t part = 8 * b + j;
#pragma GCC unroll 4
        for (int c = 0; c < C; ++c) {
          const Ints products = dot<false>(no_ints(), weights, x[c].q + 32 * part);
          sums[c] = multiply_add(products, multiply(scale, load(x[c].scales + 4 * part)), sums[c]);
        }
      }
    }
    for (int c = 0; c < C; ++c) to.put(f, c, sum_lanes(sums[c]) - sum_lanes(minima[c]));
  }
}

/// Multiplies rows of blocks with C rows of activations.
template <int C, BlockFormat format>
TERN_QUANTIZED void multiply(const RowsOfBlocks& rows, const RowOfActivations* x,
                             const Target& to) {
  if constexpr (format == BlockFormat::kQ4_K) {
    multiply_large_blocks<C>(rows, x, to);
  } else {
    multiply_small_blocks<format, C>(rows, x, to);
  }
}

}  // namespace tern::cpu
