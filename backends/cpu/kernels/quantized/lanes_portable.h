#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <tern/backends/cpu/kernels/quantized/half_at.h>

// One lane, in vectors that GCC and Clang have for every processor. Bytes become 16 bits wide: the
// even ones, then the odd ones.

namespace tern::cpu {

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
inline Pairs load_pairs(const float* at) { return Pairs{at[0], at[1], 0, 0}; }
inline void store(float* at, Floats v) { std::memcpy(at, &v, sizeof(v)); }
inline void store(std::int32_t* at, Ints v) { std::memcpy(at, &v, sizeof(v)); }
inline Ints scale_ints(Ints v, int factor) { return v * factor; }
inline Floats fill(float value) { return Floats{} + value; }
inline Floats add(Floats a, Floats b) { return a + b; }
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
using Sixteen = std::int8_t __attribute__((vector_size(16)));
inline Sixteen load_lane(const std::uint8_t* at) { return load_as<Sixteen>(at); }
inline Sixteen low_half_bytes(Sixteen v) { return v & 15; }
inline Sixteen high_half_bytes(Sixteen v) { return (v >> 4) & 15; }
inline Sixteen subtract(Sixteen v, std::int8_t byte) { return v - byte; }
inline Floats floats_of(Sixteen bytes, int first) {
  Floats result;
  for (int i = 0; i < 4; ++i) result[i] = static_cast<float>(bytes[first + i]);
  return result;
}

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
  for (int i = 0; i < 8; ++i) result.parts[i] = half_at(factor) * static_cast<float>(bytes[i]);
  return result;
}
inline Halves load_parts(const std::uint8_t* numbers, int first) {
  numbers += std::ptrdiff_t{first / 2} * 32;
  const int shift = first % 2 * 4;
  return {low_nibbles(load_lanes(numbers, 0) >> shift),
          low_nibbles(load_lanes(numbers + 16, 0) >> shift)};
}
inline Floats spread(const Eight& floats, int first) { return Floats{} + floats.parts[first]; }

}  // namespace tern::cpu
