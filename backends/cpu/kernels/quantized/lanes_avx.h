#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include <tern/backends/cpu/kernels/quantized/half_at.h>

// What AVX2 and AVX-512 share: vectors of one lane and of eight floats.

namespace tern::cpu {

using Number = std::int8_t;

using Sixteen = __m128i;  // bytes
inline Sixteen fill_sixteen(int byte) { return _mm_set1_epi8(static_cast<char>(byte)); }
inline Sixteen low_half_bytes(Sixteen v) { return _mm_and_si128(v, fill_sixteen(15)); }
inline Sixteen high_half_bytes(Sixteen v) { return low_half_bytes(_mm_srli_epi16(v, 4)); }
inline Sixteen subtract(Sixteen v, int byte) { return _mm_sub_epi8(v, fill_sixteen(byte)); }

inline __m128i load_lane(const std::uint8_t* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// Fetches later blocks into the cache. Measured: a distance of 2 to 4 KB is best.
inline void prefetch(const std::uint8_t* block) {
  _mm_prefetch(reinterpret_cast<const char*>(block) + 4096, _MM_HINT_T0);
}

/// Returns the 4 bytes at an address.
inline int word_at(const std::uint8_t* at) {
  int word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

inline float sum_lanes(__m128 v) {
  v = _mm_add_ps(v, _mm_movehl_ps(v, v));
  return _mm_cvtss_f32(_mm_add_ss(v, _mm_movehdup_ps(v)));
}
inline float sum_lanes(__m256 v) {
  return sum_lanes(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)));
}

/// Eight floats, for the eight parts of a large block.
using Eight = __m256;
inline Eight load_eight(const float* at) { return _mm256_loadu_ps(at); }
inline Eight multiply_add(Eight a, Eight b, Eight c) { return _mm256_fmadd_ps(a, b, c); }

/// Returns eight bytes times the half at `factor`.
inline Eight eight_of(const std::uint8_t* bytes, const std::uint8_t* factor) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
  return _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight)),
                       _mm256_set1_ps(half_at(factor)));
}

/// Returns the index of a number among the 16 of its lane.
constexpr std::int64_t index_of_number(std::int64_t i) { return i; }

}  // namespace tern::cpu
