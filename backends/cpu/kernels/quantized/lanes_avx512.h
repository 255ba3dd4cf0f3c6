#pragma once

#include <cstddef>
#include <cstdint>

#include <tern/backends/cpu/kernels/quantized/lanes_avx.h>

// Four lanes.

namespace tern::cpu {

constexpr int kLanes = 4;
constexpr int kRowsTogether = 1;        // measured: several are not faster
constexpr bool kSignedByOffset = true;  // signed weights become unsigned by adding 128
using Ints = __m512i;
using Floats = __m512;
using Pairs = Eight;

/// The first and the second 16 bytes of each lane's block.
struct Halves {
  Ints first, second;
};

inline Ints fill_bytes(int byte) { return _mm512_set1_epi8(static_cast<char>(byte)); }
inline Ints no_ints() { return _mm512_setzero_si512(); }
inline Floats no_floats() { return _mm512_setzero_ps(); }
inline Pairs no_pairs() { return _mm256_setzero_ps(); }
inline Ints load(const std::int32_t* at) { return _mm512_loadu_si512(at); }
inline Floats load(const float* at) { return _mm512_loadu_ps(at); }
inline Pairs load_pairs(const float* at) { return _mm256_loadu_ps(at); }
inline void store(float* at, Floats v) { _mm512_storeu_ps(at, v); }
inline void store(std::int32_t* at, Ints v) { _mm512_storeu_si512(at, v); }
inline Ints scale_ints(Ints v, int factor) {
  return _mm512_mullo_epi32(v, _mm512_set1_epi32(factor));
}
inline Floats fill(float value) { return _mm512_set1_ps(value); }
inline Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
inline Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats multiply_add(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline Floats multiply_add(Ints a, Floats b, Floats c) {
  return _mm512_fmadd_ps(_mm512_cvtepi32_ps(a), b, c);
}
inline float sum_lanes(Floats v) {
  return sum_lanes(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
}

/// Returns 4 * kLanes signed bytes as floats, from byte `first` on.
inline Floats floats_of(Sixteen bytes, int /*first*/) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes));
}

/// Returns 16 bytes of each of four blocks.
inline Ints load_lanes(const std::uint8_t* first, std::ptrdiff_t stride) {
  const auto two = [&](const std::uint8_t* at) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_lane(at)), load_lane(at + stride),
                                   1);
  };
  return _mm512_inserti64x4(_mm512_castsi256_si512(two(first)), two(first + 2 * stride), 1);
}

inline Ints low_nibbles(Ints v) { return _mm512_and_si512(v, fill_bytes(15)); }
inline Ints high_nibbles(Ints v) { return low_nibbles(_mm512_srli_epi16(v, 4)); }

/// Returns sums plus the products of bytes, unsigned unless kSigned, and activations.
template <bool kSigned>
TERN_QUANTIZED inline Ints dot(Ints sums, Halves bytes, const Number* x) {
  const auto unsigned_bytes = [](Ints v) {
    return kSigned ? _mm512_xor_si512(v, fill_bytes(128)) : v;
  };
  sums = _mm512_dpbusd_epi32(sums, unsigned_bytes(bytes.first), _mm512_loadu_si512(x));
  return _mm512_dpbusd_epi32(sums, unsigned_bytes(bytes.second), _mm512_loadu_si512(x + 64));
}

/// Returns the first two halves of each of four blocks as floats.
template <int kStride>
inline Pairs pairs_of(const std::uint8_t* first) {
  if constexpr (3 * kStride + 4 > 64) {
    return _mm256_cvtph_ps(_mm_setr_epi32(word_at(first), word_at(first + kStride),
                                          word_at(first + 2 * kStride),
                                          word_at(first + 3 * kStride)));
  } else {
    constexpr short k = kStride / 2;
    const __m128i index = _mm_setr_epi16(0, 1, k, k + 1, 2 * k, 2 * k + 1, 3 * k, 3 * k + 1);
    return _mm256_cvtph_ps(_mm512_castsi512_si128(
        _mm512_permutexvar_epi16(_mm512_castsi128_si512(index), _mm512_loadu_si512(first))));
  }
}

/// Returns the first float of each pair in the four elements of its lane.
inline Floats spread(Pairs pairs) {
  const __m512i index = _mm512_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6);
  return _mm512_permutexvar_ps(index, _mm512_castps256_ps512(pairs));
}

/// Returns kLanes parts of a large block, from part `first` on. Two parts share 32 bytes.
inline Halves load_parts(const std::uint8_t* numbers, int first) {
  const Ints bytes = _mm512_loadu_si512(numbers + std::ptrdiff_t{16} * first);
  const Ints low = low_nibbles(bytes), high = high_nibbles(bytes);
  return {_mm512_mask_shuffle_i64x2(low, 0xcc, high, high, 0xa0),
          _mm512_mask_shuffle_i64x2(high, 0x33, low, low, 0xf5)};
}

/// Returns floats first .. first + 3, each in the four elements of its lane.
inline Floats spread(Eight floats, int first) {
  const __m512i index = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  return _mm512_permutexvar_ps(_mm512_add_epi32(index, _mm512_set1_epi32(first)),
                               _mm512_castps256_ps512(floats));
}

}  // namespace tern::cpu
