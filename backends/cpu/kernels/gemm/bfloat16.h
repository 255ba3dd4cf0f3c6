#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm/pack.h>
#include <tern/backends/cpu/kernels/gemm/packed_element.h>
#include <tern/backends/cpu/kernels/support/span.h>

// Products of bfloat16 matrices, and of float32 matrices in bfloat16, with sums in float32. The
// instruction processes two steps of k at once, treats denormal numbers as zero, and rounds each
// sum to nearest.

#if defined(__AVX512BF16__)

namespace tern::cpu {

/// Two consecutive numbers of a line: the first in the lower half, the second in the upper half.
/// Those of float32 matrices are rounded to nearest even.
struct Bfloat16Pair {
  std::uint32_t bits;
};

template <>
struct PackedElement<Bfloat16Pair> {
  using Number = float;
  using Sum = Vector<float>;
  using V = __m512bh;
  static constexpr int kSteps = 2;

  static V load(const Bfloat16Pair* from) { return reinterpret_cast<V>(_mm512_loadu_si512(from)); }
  static V broadcast(Bfloat16Pair x) {
    return reinterpret_cast<V>(_mm512_set1_epi32(static_cast<int>(x.bits)));
  }
  static Sum multiply_add(V a, V b, Sum sum) { return _mm512_dpbf16_ps(sum, a, b); }
};

// A vector of numbers, one of each line, as the type S of the matrix has it; bfloat16 in 32 bits.

[[gnu::always_inline]] inline __m512 load_lanes(const float* from, int lanes) {
  return lanes == kLanes<float> ? cpu::load(from) : cpu::load_first(from, lanes);
}
[[gnu::always_inline]] inline __m512i load_lanes(const Narrow* from, int lanes) {
  const auto mask = static_cast<__mmask16>((1u << lanes) - 1);
  return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from));
}

/// Returns pairs that combine lane i of both vectors.
[[gnu::always_inline]] inline __m512i pairs_of(__m512 x, __m512 y) {
  alignas(64) static constexpr std::uint16_t kAlternate[32] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_permutexvar_epi16(_mm512_load_si512(kAlternate),
                                  reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(y, x)));
}
[[gnu::always_inline]] inline __m512i pairs_of(__m512i x, __m512i y) {
  return _mm512_or_si512(x, _mm512_slli_epi32(y, 16));
}

/// Returns the pairs of the first `count` numbers of a line, at most 32; the others are zero.
[[gnu::always_inline]] inline __m512i pairs_along(const float* line, int count) {
  const auto load = [&](int at) {
    const int left = std::clamp(count - at, 0, 16);
    return left == 0 ? __m512{} : load_lanes(line + at, left);
  };
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(load(16), load(0)));
}
[[gnu::always_inline]] inline __m512i pairs_along(const Narrow* line, int count) {
  return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((std::uint64_t{1} << count) - 1), line);
}

/// Packs one row of pairs after the other; load(p) returns number p of each line.
template <int kLines, class Load>
void pack_pairs(Bfloat16Pair* to, std::int64_t count, const Load& load) {
  for (std::int64_t p = 0; p < count; p += 2, to += kLines) {
    const __m512i pairs = pairs_of(load(p), p + 1 < count ? load(p + 1) : decltype(load(p)){});
    std::memcpy(to, &pairs, kLines * sizeof(Bfloat16Pair));
  }
}

/// Makes runs of 32 of the first `count` numbers of each line, which has gaps.
template <class S>
[[gnu::noinline]] void gather_lines(S* to, const S* from, std::int64_t line_stride,
                                    std::int64_t step, int lines, int count) {
  for (int i = 0; i < lines; ++i) gather_span(to + 32 * i, from + i * line_stride, step, count);
}

/// Packs lines with whole vectors along the lines. Those with gaps are gathered before.
template <int kLines, class S>
[[gnu::noinline]] void pack_pairs_transposed(Bfloat16Pair* to, const S* from,
                                             std::int64_t line_stride, std::int64_t step, int lines,
                                             std::int64_t count) {
  constexpr int kPairs = kLanes<float>;
  alignas(64) S gathered[kLines * 2 * kPairs];
  const auto pack_block = [&](Bfloat16Pair* block_to, std::int64_t p, int steps) {
    const S* first = from + p * step;
    std::int64_t stride = line_stride;
    if (step != 1) {
      gather_lines(gathered, first, line_stride, step, lines, steps);
      first = gathered;
      stride = 2 * kPairs;
    }
    Vector<float> block[kLines];
#pragma GCC unroll 16
    for (int i = 0; i < kLines; ++i) {
      const S* const line = first + (i < lines ? i : lines - 1) * stride;
      block[i] = reinterpret_cast<Vector<float>>(pairs_along(line, steps));
    }
    transpose<float, kLines>(block);
#pragma GCC unroll 16
    for (int j = 0; j < kLines; ++j) {
#pragma GCC unroll 16
      for (int at = 0; at < kPairs; at += kLines) {
        std::memcpy(block_to + (at + j) * kLines, reinterpret_cast<const float*>(&block[j]) + at,
                    kLines * sizeof(float));
      }
    }
  };
  std::int64_t p = 0;
  for (; p + 2 * kPairs <= count; p += 2 * kPairs) pack_block(to + p / 2 * kLines, p, 2 * kPairs);
  if (const int rest = static_cast<int>(count - p); rest > 0) {
    Bfloat16Pair last[kPairs * kLines];
    pack_block(last, p, rest);
    std::copy_n(last, (rest + 1) / 2 * kLines, to + p / 2 * kLines);
  }
}

/// Stores the pair of from[i * line_stride + p * step] and its successor in to[p / 2 * kLines + i],
/// for even p < count. If count is odd, the last successor is zero. Lines from number `lines` on
/// are arbitrary.
template <int kLines, class S>
void pack_steps(const Format<S>&, Bfloat16Pair* to, const S* from, std::int64_t line_stride,
                std::int64_t step, int lines, std::int64_t count) {
  if (line_stride == 1) {
    pack_pairs<kLines>(to, count,
                       [&](std::int64_t p) { return load_lanes(from + p * step, lines); });
  } else {
    pack_pairs_transposed<kLines>(to, from, line_stride, step, lines, count);
  }
}

}  // namespace tern::cpu

#endif
