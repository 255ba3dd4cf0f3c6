#pragma once

#include <tern/backends/cpu/kernels/gemm/amx_tiles.h>
#include <tern/backends/cpu/kernels/gemm/bfloat16.h>
#include <tern/backends/cpu/kernels/gemm/tile.h>
#include <tern/backends/cpu/kernels/support/divide_up.h>

// Products in bfloat16 by tiles of AMX: 16 rows of 16 pairs of A by 16 pairs of 16 columns of B.
// Like VDPBF16PS, the instruction treats denormal numbers as zero.

#if defined(TERN_AMX_EMULATED) || (defined(__AMX_BF16__) && defined(TERN_CPU_PAIRS_ONLY))
#define TERN_AMX 1

namespace tern::cpu {

/// A row of a tile of A: 32 numbers along k. Of B, 16 of them are a tile: the pairs of 16 columns,
/// pair by pair.
struct AmxRow {
  Bfloat16Pair pairs[16];
};

template <>
struct PackedElement<AmxRow> {
  using Number = float;
  static constexpr int kSteps = 32;
};

/// Two tiles below each other: with two tiles of B they keep four tiles of sums busy.
template <>
inline constexpr int kStripRows<AmxRow> = 32;

/// The tiles are configured once for all products of a thread's part.
template <>
struct TileRegion<AmxRow> {
  TileRegion() { amx::configure(); }
  ~TileRegion() { amx::release(); }
  TileRegion(const TileRegion&) = delete;
  TileRegion& operator=(const TileRegion&) = delete;
};

/// Packs columns of B: tile by tile, the last one filled up with zeros.
template <int kLines, class S>
void pack_steps(const Format<S>& format, AmxRow* to, const S* from, std::int64_t line_stride,
                std::int64_t step, int lines, std::int64_t count) {
  Bfloat16Pair* const pairs = to->pairs;
  const std::int64_t end = divide_up(count, 32) * 16 * kLines;
  std::fill(pairs + (count + 1) / 2 * kLines, pairs + end, Bfloat16Pair{0});
  pack_steps<kLines>(format, pairs, from, line_stride, step, lines, count);
}

/// Packs a strip of A: row i of tile p into to[p * kStripRows + i].
template <class S>
void pack_amx_strip(const Format<S>& format, AmxRow* to, const S* from, std::int64_t row_stride,
                    std::int64_t step, std::int64_t rows, std::int64_t count) {
  for (std::int64_t p = 0; p < count; p += 32, to += kStripRows<AmxRow>) {
    const int steps = static_cast<int>(std::min<std::int64_t>(32, count - p));
    if (step == 1) {
      for (std::int64_t i = 0; i < rows; ++i) {
        _mm512_storeu_si512(to + i, pairs_along(from + i * row_stride + p, steps));
      }
      continue;
    }
    for (std::int64_t i = 0; i < rows; i += 16) {
      AmxRow tile[16];
      pack_steps<16>(format, tile, from + i * row_stride + p * step, row_stride, step,
                     static_cast<int>(std::min<std::int64_t>(16, rows - i)), steps);
      Vector<float> lines[16];
      std::memcpy(lines, tile, sizeof lines);
      transpose<float, 16>(lines);
      std::memcpy(to + i, lines, sizeof lines);
    }
  }
}

/// Adds the product of a strip of A and one or two vectors of B, `b_vector` apart, to `sums`, whose
/// rows are `stride` bytes apart. `first` sums are not read. Both strips and both vectors have
/// memory for whole tiles.
[[gnu::noinline]] inline void multiply_amx_tiles(const AmxRow* a, const AmxRow* b,
                                                 std::int64_t b_vector, std::int64_t count,
                                                 float* sums, std::int64_t stride, bool first,
                                                 bool two_rows, bool two_columns) {
  float* const below = sums + 16 * (stride / 4);
  if (first) {
    amx::clear<0>();
    amx::clear<1>();
    amx::clear<2>();
    amx::clear<3>();
  } else {
    amx::load<0>(sums, stride);
    if (two_columns) amx::load<1>(sums + 16, stride);
    if (two_rows) amx::load<2>(below, stride);
    if (two_rows && two_columns) amx::load<3>(below + 16, stride);
  }
  for (std::int64_t p = 0; p < count; ++p, a += kStripRows<AmxRow>, b += 16) {
    amx::load<4>(a, sizeof(AmxRow));
    amx::load<6>(b, sizeof(AmxRow));
    amx::dot<0, 4, 6>();
    if (two_columns) {
      amx::load<7>(b + b_vector, sizeof(AmxRow));
      amx::dot<1, 4, 7>();
    }
    if (two_rows) {
      amx::load<5>(a + 16, sizeof(AmxRow));
      amx::dot<2, 5, 6>();
      if (two_columns) amx::dot<3, 5, 7>();
    }
  }
  amx::store<0>(sums, stride);
  if (two_columns) amx::store<1>(sums + 16, stride);
  if (two_rows) amx::store<2>(below, stride);
  if (two_rows && two_columns) amx::store<3>(below + 16, stride);
}

}  // namespace tern::cpu

#endif
