#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tern/backends/cpu/kernels/quantized/block_dot.h>

// Weights as floats: for products of many rows, and of activations that must not be rounded.

namespace tern::cpu {

constexpr int kFloats = 4 * kLanes;  // of a vector

/// Calls fn(i, elements i .. i + kFloats - 1) for all elements of a block, with the bits of
/// dequantize_blocks().
template <BlockFormat format, class Fn>
inline void for_elements(const std::uint8_t* block, const Fn& fn) {
  using Traits = BlockTraits<format>;
  const std::uint8_t* const numbers = block + Traits::kNumbers;
  const Floats scale = fill(half_at(block));
  const Floats minimum = fill(Traits::kHasMinimum ? half_at(block + 2) : 0);
  const auto put_half = [&](int first, Sixteen bytes) {
    for (int i = 0; i < 16; i += kFloats) {
      const Floats product = multiply(scale, floats_of(bytes, i));
      fn(first + i, Traits::kHasMinimum ? add(product, minimum) : product);
    }
  };
  const Sixteen bytes = load_lane(numbers);
  if constexpr (format == BlockFormat::kQ8_0) {
    put_half(0, bytes);
    put_half(16, load_lane(numbers + 16));
  } else {
    constexpr int kMiddle = format == BlockFormat::kQ4_0 ? 8 : 0;
    put_half(0, subtract(low_half_bytes(bytes), kMiddle));
    put_half(16, subtract(high_half_bytes(bytes), kMiddle));
  }
}

template <BlockFormat format>
inline void expand_small(const std::uint8_t* blocks, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint8_t* const block = blocks + i * BlockTraits<format>::kBytes;
    prefetch(block);
    for_elements<format>(block, [&](int first, Floats w) { store(out + i * 32 + first, w); });
  }
}

/// Writes the elements of `count` blocks.
[[gnu::noinline]] inline void expand(BlockFormat format, const std::uint8_t* blocks,
                                     std::int64_t count, float* out) {
  switch (format) {
    case BlockFormat::kQ8_0:
      return expand_small<BlockFormat::kQ8_0>(blocks, count, out);
    case BlockFormat::kQ4_0:
      return expand_small<BlockFormat::kQ4_0>(blocks, count, out);
    case BlockFormat::kQ4_1:
      return expand_small<BlockFormat::kQ4_1>(blocks, count, out);
    default:
      return dequantize_blocks(format, reinterpret_cast<const std::byte*>(blocks), count, out);
  }
}

/// Multiplies rows of blocks with a row of floats.
[[gnu::noinline]] inline void multiply_floats(BlockFormat format, const RowsOfBlocks& rows,
                                              const float* x, const Target& to) {
  alignas(64) float weights[1024];  // of whole blocks, in the first-level cache
  const std::int64_t size = elements_of_block(format), most = 1024 / size;
  for (std::int64_t f = rows.begin; f < rows.end; ++f) {
    const std::uint8_t* const row = rows.data + f * rows.bytes;
    Floats sums[2] = {no_floats(), no_floats()};
    for (std::int64_t b = 0; b < rows.blocks; b += most) {
      const std::int64_t count = std::min(most, rows.blocks - b);
      expand(format, row + b * bytes_of_block(format), count, weights);
      for (std::int64_t i = 0; i < count * size; i += std::int64_t{2} * kFloats) {
        const float* const at = x + b * size + i;
        sums[0] = multiply_add(load(weights + i), load(at), sums[0]);
        sums[1] = multiply_add(load(weights + i + kFloats), load(at + kFloats), sums[1]);
      }
    }
    to.put(f, 0, sum_lanes(add(sums[0], sums[1])));
  }
}

}  // namespace tern::cpu
