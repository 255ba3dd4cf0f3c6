#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tern/core/base/half.h>

// Vectors of 128-bit lanes for inner products of blocks: a lane holds 16 bytes of a block, and
// later four integer or float sums of its products. The code of blocks is the same for one, two or
// four lanes.
//
// Ints, Floats     kLanes x 4 sums
// Pairs            kLanes x (scale, minimum) of blocks
// Number           an activation; `kLanes * 16` of them are multiplied with one vector of bytes

// VNNI multiplies bytes and adds four products in one instruction. It is not part of x86-64-v4, so
// the functions that use it say so, and the kernel is registered only where the processor has it.
#if defined(__AVX512VNNI__) || (defined(__AVX512F__) && defined(TERN_CPU_BASE_SET))
#define TERN_VNNI
#define TERN_QUANTIZED __attribute__((target("avx512vnni")))
#else
#define TERN_QUANTIZED
#endif

namespace tern::cpu {

inline float half_at(const std::uint8_t* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  return detail::float_of_half(bits);
}

#if defined(__AVX2__)

using Number = std::int8_t;

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

#endif

#if defined(TERN_VNNI)

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
inline void store(std::int32_t* at, Ints v) { _mm512_storeu_si512(at, v); }
inline Ints scale_ints(Ints v, int factor) {
  return _mm512_mullo_epi32(v, _mm512_set1_epi32(factor));
}
inline Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats multiply_add(Ints a, Floats b, Floats c) {
  return _mm512_fmadd_ps(_mm512_cvtepi32_ps(a), b, c);
}
inline float sum_lanes(Floats v) {
  return sum_lanes(_mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1)));
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

#elif defined(__AVX2__)

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
inline void store(std::int32_t* at, Ints v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(at), v);
}
inline Ints scale_ints(Ints v, int factor) {
  return _mm256_mullo_epi32(v, _mm256_set1_epi32(factor));
}
inline Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
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

#else

// One lane, in vectors that GCC and Clang have for every processor. Bytes become 16 bits wide: the
// even ones, then the odd ones.

constexpr int kLanes = 1;
constexpr int kRowsTogether = 1;
constexpr bool kSignedByOffset = false;
using Number = std::int16_t;
using Ints = std::int32_t __attribute__((vector_size(16)));
using Floats = float __attribute__((vector_size(16)));
using Pairs = Floats;
using Words = std::uint16_t __attribute__((vector_size(16)));
using SignedWords = std::int16_t __attribute__((vector_size(16)));

constexpr std::int64_t index_of_number(std::int64_t i) { return i % 2 * 8 + i / 2; }

struct Halves {
  Words first, second;
};

template <class Vector>
inline Vector load_as(const void* at) {
  Vector v;
  std::memcpy(&v, at, sizeof(v));
  return v;
}

inline void prefetch(const std::uint8_t*) {}
inline Words fill_bytes(int byte) {
  const auto word = static_cast<std::uint16_t>(byte * 257);
  return Words{word, word, word, word, word, word, word, word};
}
inline Ints no_ints() { return Ints{}; }
inline Floats no_floats() { return Floats{}; }
inline Pairs no_pairs() { return Pairs{}; }
inline Ints load(const std::int32_t* at) { return load_as<Ints>(at); }
inline Floats load(const float* at) { return load_as<Floats>(at); }
inline Pairs load_pairs(const float* at) { return load_as<Pairs>(at); }
inline void store(std::int32_t* at, Ints v) { std::memcpy(at, &v, sizeof(v)); }
inline Ints scale_ints(Ints v, int factor) { return v * factor; }
inline Floats multiply(Floats a, Floats b) { return a * b; }
inline Floats multiply_add(Floats a, Floats b, Floats c) { return a * b + c; }
inline Floats multiply_add(Ints a, Floats b, Floats c) {
#if defined(__SSE2__)
  return multiply_add(reinterpret_cast<Floats>(_mm_cvtepi32_ps(reinterpret_cast<__m128i>(a))), b,
                      c);
#else
  return multiply_add(__builtin_convertvector(a, Floats), b, c);
#endif
}
inline float sum_lanes(Floats v) { return (v[0] + v[2]) + (v[1] + v[3]); }

inline Words load_lanes(const std::uint8_t* first, std::ptrdiff_t) { return load_as<Words>(first); }
inline Words low_nibbles(Words v) { return v & fill_bytes(15); }
inline Words high_nibbles(Words v) { return low_nibbles(v >> 4); }

inline Ints add_products(Ints sums, SignedWords a, const Number* x) {
  const auto b = load_as<SignedWords>(x);
#if defined(__SSE2__)
  return sums + reinterpret_cast<Ints>(
                    _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  for (int i = 0; i < 8; ++i) sums[i / 2] += a[i] * b[i];
  return sums;
#endif
}

template <bool kSigned>
inline Ints dot(Ints sums, Halves bytes, const Number* x) {
  for (const Words v : {bytes.first, bytes.second}) {
    if constexpr (kSigned) {
      sums = add_products(sums, reinterpret_cast<SignedWords>(v << 8) >> 8, x);
      sums = add_products(sums, reinterpret_cast<SignedWords>(v) >> 8, x + 8);
    } else {
      sums = add_products(sums, reinterpret_cast<SignedWords>(v & 255), x);
      sums = add_products(sums, reinterpret_cast<SignedWords>(v >> 8), x + 8);
    }
    x += 16;
  }
  return sums;
}

template <int>
inline Pairs pairs_of(const std::uint8_t* first) {
  return Pairs{half_at(first), half_at(first + 2), 0, 0};
}
inline Floats spread(Pairs pairs) { return Floats{} + pairs[0]; }

struct Eight {
  float parts[8];
};

inline Eight load_eight(const float* at) { return load_as<Eight>(at); }
inline Eight multiply_add(const Eight& a, const Eight& b, Eight c) {
  for (int i = 0; i < 8; ++i) c.parts[i] += a.parts[i] * b.parts[i];
  return c;
}
inline float sum_lanes(const Eight& v) {
  float sum = 0;
  for (const float part : v.parts) sum += part;
  return sum;
}
inline Eight eight_of(const std::uint8_t* bytes, const std::uint8_t* factor) {
  Eight result;
  for (int i = 0; i < 8; ++i) result.parts[i] = half_at(factor) * bytes[i];
  return result;
}
inline Halves load_parts(const std::uint8_t* numbers, int first) {
  numbers += std::ptrdiff_t{first / 2} * 32;
  const int shift = first % 2 * 4;
  return {low_nibbles(load_lanes(numbers, 0) >> shift),
          low_nibbles(load_lanes(numbers + 16, 0) >> shift)};
}
inline Floats spread(const Eight& floats, int first) { return Floats{} + floats.parts[first]; }

#endif

}  // namespace tern::cpu
