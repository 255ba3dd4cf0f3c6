#pragma once

#include <algorithm>

#include <tern/backends/cpu/kernels/gemm_pack.h>
#include <tern/backends/cpu/kernels/gemm_packed_element.h>

// Products of float32 matrices in bfloat16, with sums in float32. The instruction processes two
// steps of k at once, treats denormal numbers as zero, and rounds each sum to nearest.

#if defined(__AVX512BF16__)

namespace tern::cpu {

/// Two consecutive numbers of a line, rounded to nearest even: the first in the lower half, the
/// second in the upper half.
struct Bfloat16Pair {
  std::uint32_t bits;
};

template <>
struct PackedElement<Bfloat16Pair> {
  using Number = float;
  using Sum = Simd<float>::V;
  using V = __m512bh;
  static constexpr int kSteps = 2;

  static V load(const Bfloat16Pair* from) { return reinterpret_cast<V>(_mm512_loadu_si512(from)); }
  static V broadcast(Bfloat16Pair x) {
    return reinterpret_cast<V>(_mm512_set1_epi32(static_cast<int>(x.bits)));
  }
  static Sum multiply_add(V a, V b, Sum sum) { return _mm512_dpbf16_ps(sum, a, b); }
};

/// Returns pairs that combine lane i of both vectors.
[[gnu::always_inline]] inline __m512i pairs_of(__m512 x, __m512 y) {
  alignas(64) static constexpr std::uint16_t kAlternate[32] = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return _mm512_permutexvar_epi16(_mm512_load_si512(kAlternate),
                                  reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(y, x)));
}

/// Packs one row of pairs after the other; load(p) returns number p of each line.
template <int kLines, class Load>
void pack_pairs(Bfloat16Pair* to, std::int64_t count, const Load& load) {
  for (std::int64_t p = 0; p < count; p += 2, to += kLines) {
    const __m512i pairs = pairs_of(load(p), p + 1 < count ? load(p + 1) : __m512{});
    std::memcpy(to, &pairs, kLines * sizeof(Bfloat16Pair));
  }
}

/// Packs contiguous lines with whole vectors along the lines.
template <int kLines>
void pack_pairs_transposed(Bfloat16Pair* to, const float* from, std::int64_t line_stride, int lines,
                           std::int64_t count) {
  using S = Simd<float>;
  constexpr int kPairs = S::kWidth;
  const auto pack_block = [&](Bfloat16Pair* block_to, std::int64_t p, auto&& load) {
    S::V block[kLines];
#pragma GCC unroll 16
    for (int i = 0; i < kLines; ++i) {
      const float* const line = from + (i < lines ? i : lines - 1) * line_stride + p;
      block[i] = reinterpret_cast<S::V>(_mm512_cvtne2ps_pbh(load(line, kPairs), load(line, 0)));
    }
    transpose<float, kLines>(block);
#pragma GCC unroll 16
    for (int j = 0; j < kLines; ++j) {
#pragma GCC unroll 16
      for (int first = 0; first < kPairs; first += kLines) {
        std::memcpy(block_to + (first + j) * kLines,
                    reinterpret_cast<const float*>(&block[j]) + first, kLines * sizeof(float));
      }
    }
  };
  std::int64_t p = 0;
  for (; p + 2 * kPairs <= count; p += 2 * kPairs) {
    pack_block(to + p / 2 * kLines, p, [](const float* x, int at) { return S::load(x + at); });
  }
  if (const int rest = static_cast<int>(count - p); rest > 0) {
    Bfloat16Pair last[kPairs * kLines];
    pack_block(last, p, [&](const float* x, int at) {
      const int left = std::clamp(rest - at, 0, kPairs);
      return left == kPairs ? S::load(x + at) : S::load_first(x + at, left);
    });
    std::copy_n(last, (rest + 1) / 2 * kLines, to + p / 2 * kLines);
  }
}

/// Stores the pair of from[i * line_stride + p * step] and its successor in to[p / 2 * kLines + i],
/// for even p < count. If count is odd, the last successor is zero. Lines from number `lines` on
/// are arbitrary.
template <int kLines>
void pack_steps(Bfloat16Pair* to, const float* from, std::int64_t line_stride, std::int64_t step,
                int lines, std::int64_t count) {
  using S = Simd<float>;
  if (line_stride == 1) {
    pack_pairs<kLines>(to, count, [&](std::int64_t p) {
      return lines == S::kWidth ? S::load(from + p * step) : S::load_first(from + p * step, lines);
    });
  } else if (step == 1) {
    pack_pairs_transposed<kLines>(to, from, line_stride, lines, count);
  } else {
    pack_pairs<kLines>(to, count, [&](std::int64_t p) {
      S::V numbers{};
      for (int i = 0; i < lines; ++i) numbers[i] = from[i * line_stride + p * step];
      return numbers;
    });
  }
}

}  // namespace tern::cpu

#endif
