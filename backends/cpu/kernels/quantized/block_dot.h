#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <tern/core/base/block_format.h>
#include <tern/core/base/half.h>

// Inner products of rows of blocks with rows of activations in 8 bits. Products and sums within a
// block are exact integers, so the instruction sets differ by the rounding of float sums alone.
//
// multiply_rows<format, R, C> multiplies R rows of weights with C rows of activations.

// VNNI multiplies bytes and adds four products in one instruction. It is not part of x86-64-v4, so
// the functions that use it say so, and the kernel is registered only where the processor has it.
#if defined(__AVX512VNNI__) || (defined(__AVX512F__) && defined(TERN_CPU_BASE_SET))
#define TERN_VNNI
#endif
#if defined(TERN_VNNI)
#define TERN_QUANTIZED __attribute__((target("avx512vnni")))
#else
#define TERN_QUANTIZED
#endif

namespace tern::cpu {

/// A row of activations: 32 numbers for each block, the sums with which the integer sums of a block
/// start, and for each block its scale and scale * sum of the numbers.
struct RowOfActivations {
  const std::int8_t* q;
  const std::int32_t* starts;
  const float* scales;
  const float* sums;
};

#if defined(__AVX2__)
constexpr std::int64_t kStartInts = 8;
#else
constexpr std::int64_t kStartInts = 0;  // the loops subtract the offset from each weight
#endif

#if defined(TERN_VNNI)
constexpr bool kSignedByStart = true;  // signed weights become unsigned by adding 128
#else
constexpr bool kSignedByStart = false;
#endif

/// What multiply_rows needs to know of formats of 32 elements.
template <BlockFormat format>
struct BlockTraits;
template <>
struct BlockTraits<BlockFormat::kQ8_0> {
  static constexpr int kBytes = 34, kNumbers = 2;  // where the numbers begin
  static constexpr int kOffset = kSignedByStart ? 128 : 0;
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

/// Where products go: out[r * row + c * column].
struct Target {
  float* out;
  std::int64_t row, column;
  const float* bias;  // by row, or null
};

inline void put(const Target& to, int r, int c, float sum) {
  to.out[r * to.row + c * to.column] = to.bias != nullptr ? sum + to.bias[r] : sum;
}

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

inline float half_at(const std::uint8_t* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  return detail::float_of_half(bits);
}

#if defined(__AVX2__)

/// Writes the sums of four numbers times -offset. Returns the sum of all numbers.
inline int start_sums(const std::int8_t* q, int offset, std::int32_t* starts) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(q));
  const __m256i sums =
      _mm256_madd_epi16(_mm256_maddubs_epi16(_mm256_set1_epi8(1), x), _mm256_set1_epi16(1));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(starts),
                      _mm256_mullo_epi32(sums, _mm256_set1_epi32(-offset)));
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  half = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
  return _mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 1);
}

/// Returns the first two halves at an address, of 8 readable bytes, as floats in lanes 0 and 1.
inline __m128 two_halves(const std::uint8_t* at) {
  return _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at)));
}

inline float sum_lanes(__m256 v) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

/// Fetches blocks of later rows into the cache. Four rows at a time hide from the processor that
/// weights are read in order. Measured: a distance of 2 to 4 KB doubles the speed from memory.
inline void prefetch(const std::uint8_t* block) {
  _mm_prefetch(reinterpret_cast<const char*>(block) + 4096, _MM_HINT_T0);
}

inline __m256i load_bytes(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}

/// Returns the 32 weights of a block: unsigned, or signed for Q8_0.
template <BlockFormat format>
inline __m256i weights_of(const std::uint8_t* numbers) {
  if constexpr (format == BlockFormat::kQ8_0) {
    const __m256i w = load_bytes(numbers);
    return kSignedByStart ? _mm256_xor_si256(w, _mm256_set1_epi8(-128)) : w;
  } else {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers));
    const __m256i both =
        _mm256_inserti128_si256(_mm256_castsi128_si256(bytes), _mm_srli_epi16(bytes, 4), 1);
    return _mm256_and_si256(both, _mm256_set1_epi8(15));
  }
}

/// Returns the products of weights and activations, plus `start`, with four in a lane.
template <BlockFormat format>
TERN_QUANTIZED inline __m256i dot_bytes(__m256i w, const std::int8_t* q, __m256i start) {
  __m256i x = load_bytes(q);
#if defined(TERN_VNNI)
  return _mm256_dpbusd_epi32(start, w, x);
#else
  if constexpr (format == BlockFormat::kQ8_0) {
    x = _mm256_sign_epi8(x, w);
    w = _mm256_abs_epi8(w);
  }
  const __m256i pairs = _mm256_maddubs_epi16(w, x);
  return _mm256_add_epi32(start, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#endif
}

template <BlockFormat format>
inline __m256i start_of(const RowOfActivations& x, std::int64_t block) {
  return BlockTraits<format>::kOffset == 0 ? _mm256_setzero_si256()
                                           : load_bytes(x.starts + block * kStartInts);
}

template <BlockFormat format, int R, int C>
TERN_QUANTIZED void multiply_rows(const std::uint8_t* rows, std::int64_t row_bytes,
                                  std::int64_t blocks, const RowOfActivations* x,
                                  const Target& to) {
  using Traits = BlockTraits<format>;
  __m256 sums[R][C];
  __m128 minima[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) sums[r][c] = _mm256_setzero_ps(), minima[r][c] = _mm_setzero_ps();
  }
  for (std::int64_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const std::uint8_t* const block = rows + r * row_bytes + b * Traits::kBytes;
      prefetch(block);
      const __m256i w = weights_of<format>(block + Traits::kNumbers);
      const __m128 numbers = two_halves(block);
      const __m256 scale = _mm256_broadcastss_ps(numbers);
#pragma GCC unroll 4
      for (int c = 0; c < C; ++c) {
        const __m256i dot = dot_bytes<format>(w, x[c].q + b * 32, start_of<format>(x[c], b));
        const __m256 factor = _mm256_mul_ps(scale, _mm256_broadcast_ss(x[c].scales + b));
        sums[r][c] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), factor, sums[r][c]);
        if constexpr (Traits::kHasMinimum) {
          minima[r][c] =
              _mm_fmadd_ps(numbers, _mm_broadcast_ss(x[c].sums + b), minima[r][c]);  // lane 1
        }
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      float sum = sum_lanes(sums[r][c]);
      if (Traits::kHasMinimum) sum += _mm_cvtss_f32(_mm_movehdup_ps(minima[r][c]));
      put(to, r, c, sum);
    }
  }
}

/// The same for blocks of 256 elements: 8 times 32 with small scales and minima.
template <int R, int C>
TERN_QUANTIZED void multiply_large_blocks(const std::uint8_t* rows, std::int64_t row_bytes,
                                          std::int64_t blocks, const RowOfActivations* x,
                                          const Target& to) {
  constexpr BlockFormat kFormat = BlockFormat::kQ4_K;
  using Traits = BlockTraits<kFormat>;
  __m256 sums[R][C], minima[R][C];
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) sums[r][c] = minima[r][c] = _mm256_setzero_ps();
  }
  for (std::int64_t b = 0; b < blocks; ++b) {
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r) {
      const std::uint8_t* const block = rows + r * row_bytes + b * Traits::kBytes;
      prefetch(block);
      prefetch(block + Traits::kBytes / 2);
      const SmallScales small(block + 4);
      const __m128 numbers = two_halves(block);
      const auto floats = [](const std::uint8_t* bytes, __m128 factor) {
        const __m128i small_bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
        return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(small_bytes)),
                             _mm256_broadcastss_ps(factor));
      };
      alignas(32) float scales[8];
      _mm256_store_ps(scales, floats(small.scales, numbers));
      const __m256 minimum = floats(small.minima, _mm_movehdup_ps(numbers));
      for (int c = 0; c < C; ++c) {
        minima[r][c] = _mm256_fmadd_ps(minimum, _mm256_loadu_ps(x[c].sums + 8 * b), minima[r][c]);
      }
#pragma GCC unroll 4
      for (int j = 0; j < 8; j += 2) {
        const __m256i bytes = load_bytes(block + Traits::kNumbers + 16 * j);
        const __m256i low = _mm256_and_si256(bytes, _mm256_set1_epi8(15));
        const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
#pragma GCC unroll 4
        for (int c = 0; c < C; ++c) {
          const std::int64_t part = 8 * b + j;
          const auto add = [&](__m256i dot, int i) {
            const __m256 factor = _mm256_mul_ps(_mm256_broadcast_ss(scales + j + i),
                                                _mm256_broadcast_ss(x[c].scales + part + i));
            sums[r][c] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dot), factor, sums[r][c]);
          };
          const std::int8_t* const q = x[c].q + part * 32;
          add(dot_bytes<kFormat>(low, q, _mm256_setzero_si256()), 0);
          add(dot_bytes<kFormat>(high, q + 32, _mm256_setzero_si256()), 1);
        }
      }
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) put(to, r, c, sum_lanes(_mm256_sub_ps(sums[r][c], minima[r][c])));
  }
}

#else

/// Returns the sum of the numbers.
inline int start_sums(const std::int8_t* q, int, std::int32_t*) {
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += q[i];
  return sum;
}

template <BlockFormat format>
inline int dot_block(const std::uint8_t* numbers, const std::int8_t* q) {
  int sum = 0;
  if constexpr (format == BlockFormat::kQ8_0) {
    for (int i = 0; i < 32; ++i) sum += static_cast<std::int8_t>(numbers[i]) * q[i];
  } else {
    constexpr int kOffset = BlockTraits<format>::kOffset;
    for (int i = 0; i < 16; ++i) {
      sum += ((numbers[i] & 15) - kOffset) * q[i] + ((numbers[i] >> 4) - kOffset) * q[i + 16];
    }
  }
  return sum;
}

template <BlockFormat format, int R, int C>
void multiply_rows(const std::uint8_t* rows, std::int64_t row_bytes, std::int64_t blocks,
                   const RowOfActivations* x, const Target& to) {
  using Traits = BlockTraits<format>;
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      float sum = 0;
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::uint8_t* const block = rows + r * row_bytes + b * Traits::kBytes;
        const int dot = dot_block<format>(block + Traits::kNumbers, x[c].q + b * 32);
        sum += half_at(block) * x[c].scales[b] * static_cast<float>(dot);
        if (Traits::kHasMinimum) sum += half_at(block + 2) * x[c].sums[b];
      }
      put(to, r, c, sum);
    }
  }
}

template <int R, int C>
void multiply_large_blocks(const std::uint8_t* rows, std::int64_t row_bytes, std::int64_t blocks,
                           const RowOfActivations* x, const Target& to) {
  using Traits = BlockTraits<BlockFormat::kQ4_K>;
  for (int r = 0; r < R; ++r) {
    for (int c = 0; c < C; ++c) {
      float sum = 0;
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::uint8_t* const block = rows + r * row_bytes + b * Traits::kBytes;
        const float d = half_at(block), minimum = half_at(block + 2);
        const SmallScales small(block + 4);
        for (int j = 0; j < 8; ++j) {
          const std::uint8_t* const numbers = block + Traits::kNumbers + std::ptrdiff_t{j / 2} * 32;
          const std::int64_t part = 8 * b + j;
          int dot = 0;
          for (int i = 0; i < 32; ++i) {
            dot += (numbers[i] >> (j % 2 * 4) & 15) * x[c].q[part * 32 + i];
          }
          sum += d * static_cast<float>(small.scales[j] * dot) * x[c].scales[part] -
                 minimum * static_cast<float>(small.minima[j]) * x[c].sums[part];
        }
      }
      put(to, r, c, sum);
    }
  }
}

#endif

template <int R, int C, BlockFormat format>
TERN_QUANTIZED void multiply(const std::uint8_t* rows, std::int64_t row_bytes, std::int64_t columns,
                             const RowOfActivations* x, const Target& to) {
  if constexpr (format == BlockFormat::kQ4_K) {
    multiply_large_blocks<R, C>(rows, row_bytes, columns / 256, x, to);
  } else {
    multiply_rows<format, R, C>(rows, row_bytes, columns / 32, x, to);
  }
}

}  // namespace tern::cpu
