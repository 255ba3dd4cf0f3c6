#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

#include <tern/backends/cpu/kernels/quantized/activations.h>
#include <tern/backends/cpu/kernels/quantized/lanes.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/quantized_linear.h>

// Products with blocks that were packed: 16 rows in a strip, of which each vector takes 4 bytes of
// each row. So a sum needs no sum over the lanes of a vector, and the weights of a strip are read
// once for several rows of activations. A strip has, for each block of its rows: 16 scales, 16
// minima if the format has them, and the numbers by words of 4 bytes, 16 words each. This takes as
// many bytes as the blocks.

#if defined(TERN_VNNI)

namespace tern::cpu {

using kernels::bytes_of_row;
using kernels::PackedBlocks;
using kernels::QuantizedLinearArgs;

constexpr std::int64_t kStrip = 16;  // rows

/// Writes the strips [begin, end) of rows of blocks whose numbers begin at byte `header`. Rows that
/// are missing in the last strip are zeros. `flip` is added to each byte without carry: signed
/// numbers become unsigned by adding 128.
inline void pack_strips(const RowsOfBlocks& rows, std::int64_t features, int block_bytes,
                        int header, int flip, std::uint8_t* out) {
  const __m512i offsets =
      _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                         _mm512_set1_epi32(static_cast<int>(rows.bytes)));
  const Ints flips = fill_bytes(flip);
  out += rows.begin * kStrip * rows.bytes;
  for (std::int64_t strip = rows.begin; strip < rows.end; ++strip) {
    const std::int64_t first = strip * kStrip;
    const auto present = static_cast<__mmask16>((1U << std::min(kStrip, features - first)) - 1);
    const std::uint8_t* block = rows.data + first * rows.bytes;
    const auto words_at = [&](const std::uint8_t* at) {
      return _mm512_mask_i32gather_epi32(no_ints(), present, offsets, at, 1);
    };
    for (std::int64_t b = 0; b < rows.blocks; ++b, block += block_bytes) {
      const Ints scales = words_at(block);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_cvtepi32_epi16(scales));
      if (header == 4) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32),
                            _mm512_cvtepi32_epi16(_mm512_srli_epi32(scales, 16)));
      }
      out += header * kStrip;
      for (int byte = header; byte < block_bytes; byte += 4, out += 64) {
        _mm512_storeu_si512(out, _mm512_xor_si512(words_at(block + byte), flips));
      }
    }
  }
}

/// Returns memory for packed blocks. Small ones lie together in pieces for which the system has
/// huge pages: reading a model of 100 MB is then 1.2 times as fast.
inline std::shared_ptr<std::uint8_t> memory_for_packed(std::size_t bytes) {
  constexpr std::size_t kPiece = std::size_t{16} << 20, kAlignment = 64;
  struct Piece {
    explicit Piece(std::size_t size_) : size(size_), memory(static_cast<std::int64_t>(size)) {}
    std::size_t size, used = 0;
    Scratch<std::uint8_t> memory;
  };
  static std::mutex mutex;
  static std::weak_ptr<Piece> newest;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Piece> piece = newest.lock();
  if (piece == nullptr || piece->size - piece->used < bytes) {
    piece = std::make_shared<Piece>(std::max(bytes, kPiece));
    newest = piece;
  }
  std::uint8_t* const data = piece->memory.data() + piece->used;
  piece->used =
      std::min((piece->used + bytes + kAlignment - 1) / kAlignment * kAlignment, piece->size);
  return {piece, data};
}

/// Rows of activations in 8 bits, in the order of their elements.
struct OrderedActivations {
  OrderedActivations(const QuantizedLinearArgs& args, int offset)
      : columns(args.columns),
        q(args.rows * columns),
        starts(args.rows * columns / kBlock),
        scales(args.rows * columns / kBlock),
        sums(args.rows * columns / kBlock) {
    const std::int64_t blocks = columns / kBlock;
    parallel_for(0, args.rows, kGrain / columns, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin * blocks; at < end * blocks; ++at) {
        const float* const x = args.input + at / blocks * args.input_row_stride;
        Number* const numbers = q.data() + at * kBlock;
        scales.data()[at] = quantize_activations(x + at % blocks * kBlock, numbers, kBlock / 2);
        int sum = 0;
        for (std::int64_t i = 0; i < kBlock; ++i) sum += numbers[i];
        starts.data()[at] = -offset * sum;
        sums.data()[at] = scales.data()[at] * static_cast<float>(sum);
      }
    });
  }

  static constexpr std::int64_t kGrain = 1 << 14;

  std::int64_t columns;
  Scratch<Number> q;
  Scratch<std::int32_t> starts;  // with which the integer sums of a block start
  Scratch<float> scales, sums;   // of a block; sums are those of scale * number
};

/// Multiplies a strip with C rows of activations, from `row` on.
template <BlockFormat format, int C>
TERN_QUANTIZED inline void multiply_strip(const std::uint8_t* strip, const OrderedActivations& x,
                                          std::int64_t row, Floats* sums) {
  constexpr int kBytes = BlockTraits<format>::kBytes, kHeader = BlockTraits<format>::kNumbers;
  constexpr int kWords = 8;
  const std::int64_t blocks = x.columns / kBlock;
  for (int c = 0; c < C; ++c) sums[c] = no_floats();
  for (std::int64_t b = 0; b < blocks; ++b, strip += kStrip * kBytes) {
    const auto halves = [&](int first) {
      return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(strip + first)));
    };
    Ints words[kWords];
    const std::uint8_t* const numbers = strip + kStrip * kHeader;
#pragma GCC unroll 8
    for (int i = 0; i < (format == BlockFormat::kQ8_0 ? kWords : kWords / 2); ++i) {
      const Ints bytes = _mm512_loadu_si512(numbers + 64 * i);
      if constexpr (format == BlockFormat::kQ8_0) {
        words[i] = bytes;
      } else {
        words[i] = low_nibbles(bytes);
        words[i + kWords / 2] = high_nibbles(bytes);
      }
    }
    const Floats scale = halves(0);
#pragma GCC unroll 8
    for (int c = 0; c < C; ++c) {
      const std::int64_t at = (row + c) * blocks + b;
      const Number* const q = x.q.data() + at * kBlock;
      const auto four = [&](int i) {
        std::int32_t word;
        std::memcpy(&word, q + std::ptrdiff_t{4} * i, sizeof(word));
        return _mm512_set1_epi32(word);
      };
      // Two sums, because each product waits for the one before.
      Ints first = _mm512_set1_epi32(x.starts.data()[at]), second = no_ints();
#pragma GCC unroll 4
      for (int i = 0; i < kWords / 2; ++i) {
        first = _mm512_dpbusd_epi32(first, words[i], four(i));
        second = _mm512_dpbusd_epi32(second, words[i + kWords / 2], four(i + kWords / 2));
      }
      sums[c] = multiply_add(_mm512_add_epi32(first, second),
                             multiply(scale, fill(x.scales.data()[at])), sums[c]);
      if constexpr (BlockTraits<format>::kHasMinimum) {
        sums[c] = multiply_add(halves(2 * kStrip), fill(x.sums.data()[at]), sums[c]);
      }
    }
  }
}

/// Multiplies the strips [begin, end) with all rows of activations.
template <BlockFormat format>
TERN_QUANTIZED void multiply_strips(const QuantizedLinearArgs& args, const std::uint8_t* strips,
                                    const OrderedActivations& x, std::int64_t begin,
                                    std::int64_t end) {
  constexpr int kMost = 8;
  for (std::int64_t strip = begin; strip < end; ++strip) {
    const std::uint8_t* const weights =
        strips + strip * kStrip * bytes_of_row(format, args.columns);
    const std::int64_t feature = strip * kStrip;
    const auto present =
        static_cast<__mmask16>((1U << std::min(kStrip, args.features - feature)) - 1);
    const Floats bias =
        args.bias == nullptr ? no_floats() : _mm512_maskz_loadu_ps(present, args.bias + feature);
    for (std::int64_t row = 0, together; row < args.rows; row += together) {
      Floats sums[kMost];
      if (row + kMost <= args.rows) {
        multiply_strip<format, kMost>(weights, x, row, sums);
        together = kMost;
      } else if (row + 4 <= args.rows) {
        multiply_strip<format, 4>(weights, x, row, sums);
        together = 4;
      } else {
        multiply_strip<format, 1>(weights, x, row, sums);
        together = 1;
      }
      for (std::int64_t c = 0; c < together; ++c) {
        _mm512_mask_storeu_ps(args.out + (row + c) * args.features + feature, present,
                              add(sums[c], bias));
      }
    }
  }
}

/// What products with packed blocks need of a format.
struct PackedFormat {
  int block_bytes, header, offset, flip;
  void (*multiply)(const QuantizedLinearArgs& args, const std::uint8_t* strips,
                   const OrderedActivations& x, std::int64_t begin, std::int64_t end);
};
template <BlockFormat format>
constexpr PackedFormat kPackedFormat = {
    BlockTraits<format>::kBytes, BlockTraits<format>::kNumbers, BlockTraits<format>::kOffset,
    format == BlockFormat::kQ8_0 ? BlockTraits<format>::kOffset : 0, multiply_strips<format>};

/// Returns null for a format that is not packed.
inline const PackedFormat* packed_format(BlockFormat format) {
  switch (format) {
    case BlockFormat::kQ8_0:
      return &kPackedFormat<BlockFormat::kQ8_0>;
    case BlockFormat::kQ4_0:
      return &kPackedFormat<BlockFormat::kQ4_0>;
    case BlockFormat::kQ4_1:
      return &kPackedFormat<BlockFormat::kQ4_1>;
    default:
      return nullptr;
  }
}

/// Multiplies with packed blocks, which the first call packs.
inline void multiply_packed(const QuantizedLinearArgs& args, const PackedFormat& format) {
  constexpr std::int64_t kDotGrain = 1 << 17, kPackGrain = 1 << 16;
  const std::int64_t row_bytes = bytes_of_row(args.format, args.columns);
  const std::int64_t strips = (args.features + kStrip - 1) / kStrip;
  PackedBlocks& packed = *args.packed;
  std::call_once(packed.made, [&] {
    const auto memory = memory_for_packed(static_cast<std::size_t>(strips * kStrip * row_bytes));
    parallel_for(
        0, strips, kPackGrain / (kStrip * row_bytes), [&](std::int64_t begin, std::int64_t end) {
          pack_strips({static_cast<const std::uint8_t*>(args.blocks), row_bytes,
                       args.columns / kBlock, begin, end},
                      args.features, format.block_bytes, format.header, format.flip, memory.get());
        });
    packed.data = memory;
  });
  const OrderedActivations x(args, format.offset);
  parallel_for(0, strips, kDotGrain / (args.rows * args.columns * kStrip),
               [&](std::int64_t begin, std::int64_t end) {
                 format.multiply(args, packed.data.get(), x, begin, end);
               });
}

}  // namespace tern::cpu

#endif
