#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/backends/cpu/kernels/quantized/block_dot.h>

namespace tern::cpu {

/// Writes the 32 elements of a block, with the bits of dequantize_blocks(). The compiler makes
/// vectors of the loops.
template <BlockFormat format>
inline void expand_block(const std::uint8_t* block, float* __restrict out) {
  const std::uint8_t* const numbers = block + BlockTraits<format>::kNumbers;
  const float d = half_at(block);
  if constexpr (format == BlockFormat::kQ8_0) {
    for (int i = 0; i < 32; ++i)
      out[i] = d * static_cast<float>(static_cast<std::int8_t>(numbers[i]));
  } else {
    constexpr bool kHasMinimum = BlockTraits<format>::kHasMinimum;
    constexpr int kOffset = BlockTraits<format>::kOffset;
    const float minimum = kHasMinimum ? half_at(block + 2) : 0;
    const auto element = [&](int n) {
      const float product = d * static_cast<float>(n - kOffset);
      return kHasMinimum ? product + minimum : product;
    };
    for (int i = 0; i < 16; ++i) out[i] = element(numbers[i] & 15);
    for (int i = 0; i < 16; ++i) out[i + 16] = element(numbers[i] >> 4);
  }
}

template <BlockFormat format>
inline void expand_small(const std::uint8_t* blocks, std::int64_t count, float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    expand_block<format>(blocks + i * BlockTraits<format>::kBytes, out + i * 32);
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

}  // namespace tern::cpu
