#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern {

/// How ggml and the files of llama.cpp store the rows of a quantised matrix. A row is a whole
/// number of blocks; a block holds 32 or 256 elements as small integers with their scales.
enum class BlockFormat : std::uint8_t {
  /// 32 elements as a scale and signed bytes: x = d q. 34 bytes, 8.5 bits an element.
  kQ8_0,
  /// 32 elements as a scale and 4 bits each: x = d (n - 8). 18 bytes, 4.5 bits an element.
  kQ4_0,
  /// 32 elements as a scale, a minimum and 4 bits each: x = d n + m. 20 bytes, 5 bits an element.
  kQ4_1,
  /// 256 elements: 8 times 32 elements of 4 bits, with a scale and a minimum of 6 bits each:
  /// x = (d s) n - dmin m. 144 bytes, 4.5 bits an element.
  kQ4_K,
  /// 256 elements: 16 times 16 elements of 6 bits, with a scale of 8 bits: x = (d s) (n - 32).
  /// 210 bytes, 6.5625 bits an element.
  kQ6_K,
};

/// Returns the format's name, such as "Q8_0".
TERN_API std::string_view block_format_name(BlockFormat format);

/// Returns the number of elements in a block.
constexpr int elements_of_block(BlockFormat format) {
  return format == BlockFormat::kQ4_K || format == BlockFormat::kQ6_K ? 256 : 32;
}

/// Returns the number of bytes of a block.
constexpr int bytes_of_block(BlockFormat format) {
  constexpr int kBytes[] = {34, 18, 20, 144, 210};
  return kBytes[static_cast<int>(format)];
}

/// Writes the elements of `count` blocks to `out`, with the bits of ggml's reference. The blocks
/// need no alignment.
TERN_API void dequantize_blocks(BlockFormat format, const std::byte* blocks, std::int64_t count,
                                float* out);

/// Writes `count` blocks for the elements `in`. The blocks of Q8_0, Q4_0 and Q4_1 have the bits of
/// ggml's reference. The blocks of Q4_K come from a search for the smallest squared error, which
/// is not ggml's. The elements must be finite; a scale above 65504 becomes infinite.
///
/// Throws: Error for Q6_K, which is only read.
TERN_API void quantize_blocks(BlockFormat format, const float* in, std::int64_t count,
                              std::byte* blocks);

}  // namespace tern
