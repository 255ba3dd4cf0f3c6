#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/backends/cpu/kernels/quantized/lanes_avx.h>

// Two lanes.

namespace tern::cpu {

constexpr int kLanes = 2;
constexpr int kRowsTogether = 4;  // they share the loads of activations
constexpr bool kSignedByOffset = false;
using Ints = __m256i;
using Floats = __m256;
using Pairs = __m128;

struct Halves {
  Ints first, second;
};

inline Ints fill_bytes(int byte) { return _mm256_set1_epi8(static_cast<char>(byte)); }
inline Ints no_ints() { return _mm256_setzero_si256(); }
inline Floats no_floats() { return _mm256_setzero_ps(); }
inline Pairs no_pairs() { return _mm_setzero_ps(); }
inline Ints load(const std::int32_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}
inline Floats load(const float* at) { return _mm256_loadu_ps(at); }
inline Pairs load_pairs(const float* at) { return _mm_loadu_ps(at); }
inline void store(float* at, Floats v) { _mm256_storeu_ps(at, v); }
inline void store(std::int32_t* at, Ints v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v);
}
inline Ints scale_ints(Ints v, int factor) {
  return _mm256_mullo_epi32(v, _mm256_set1_epi32(factor));
}
inline Floats fill(float value) { return _mm256_set1_ps(value); }
inline Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
inline Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
inline Floats floats_of(Sixteen bytes, int first) {
  return _mm256_cvtepi32_ps(
      _mm256_cvtepi8_epi32(first == 0 ? bytes : _mm_unpackhi_epi64(bytes, bytes)));
}
inline Floats multiply_add(Ints a, Floats b, Floats c) {
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(a), b, c);
}
inline Pairs multiply_add(Pairs a, Pairs b, Pairs c) { return _mm_fmadd_ps(a, b, c); }

inline Ints load_lanes(const std::uint8_t* first, std::ptrdiff_t stride) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(first)),
                                 load_lane(first + stride), 1);
}

inline Ints low_nibbles(Ints v) { return _mm256_and_si256(v, fill_bytes(15)); }
inline Ints high_nibbles(Ints v) { return low_nibbles(_mm256_srli_epi16(v, 4)); }

template <bool kSigned>
inline Ints dot(Ints sums, Halves bytes, const Number* x) {
  const auto pairs = [](Ints w, const Number* at) {
    const Ints q = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    return kSigned ? _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(q, w))
                   : _mm256_maddubs_epi16(w, q);
  };
  const auto add = [&](Ints pair) {
    sums = _mm256_add_epi32(sums, _mm256_madd_epi16(pair, _mm256_set1_epi16(1)));
  };
  const Ints first = pairs(bytes.first, x), second = pairs(bytes.second, x + 32);
  if constexpr (kSigned) {
    add(first), add(second);
  } else {
    add(_mm256_add_epi16(first, second));  // at most 4 * 15 * 127
  }
  return sums;
}

template <int kStride>
inline Pairs pairs_of(const std::uint8_t* first) {
  return _mm_cvtph_ps(_mm_setr_epi32(word_at(first), word_at(first + kStride), 0, 0));
}

inline Floats spread(Pairs pairs) {
  return _mm256_permutevar8x32_ps(_mm256_castps128_ps256(pairs),
                                  _mm256_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2));
}

inline Halves load_parts(const std::uint8_t* numbers, int first) {
  const std::uint8_t* const at = numbers + std::ptrdiff_t{16} * first;
  const auto part = [](const std::uint8_t* lane) {
    const Ints both = _mm256_broadcastsi128_si256(load_lane(lane));
    return low_nibbles(_mm256_srlv_epi32(both, _mm256_setr_epi32(0, 0, 0, 0, 4, 4, 4, 4)));
  };
  return {part(at), part(at + 16)};
}

inline Floats spread(Eight floats, int first) {
  const __m256i index = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  return _mm256_permutevar8x32_ps(floats, _mm256_add_epi32(index, _mm256_set1_epi32(first)));
}

}  // namespace tern::cpu
