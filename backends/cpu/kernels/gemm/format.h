#pragma once

#include <bit>
#include <type_traits>

#include <tern/backends/cpu/kernels/support/vector.h>
#include <tern/core/base/bfloat16.h>
#include <tern/core/base/half.h>
#include <tern/core/tensor/dtype.h>

// How the elements of a matrix are stored, and the numbers that products compute with.

namespace tern::cpu {

/// An element of float16 or bfloat16. One instantiation serves both, because a second copy of the
/// loops around the tiles would cost tens of kilobytes per instruction set.
struct Narrow {
  std::uint16_t bits;
};

/// The type in which products of S are added.
template <class S>
using SumOf = std::conditional_t<std::is_same_v<S, Narrow>, float, S>;

/// Reads and writes numbers of the type S, which need no conversion.
template <class S>
struct Format {
  using V = Vector<S>;
  static constexpr bool kRoundsSums = false;

  explicit Format(ScalarType) {}
  static S number(S x) { return x; }
  static S stored(S x) { return x; }
  static V load(const S* from) { return cpu::load(from); }
  static V load_first(const S* from, int n) { return cpu::load_first(from, n); }
  static void store(S* to, V value) { cpu::store(to, value); }
  static void store_first(S* to, V value, int n) { cpu::store_first(to, value, n); }
};

/// Reads narrow elements as float, and rounds float to nearest even.
template <>
struct Format<Narrow> {
  using V = Vector<float>;
  static constexpr int kWidth = kLanes<float>;

#if defined(TERN_CPU_PAIRS_ONLY)
  // The base set multiplies float16.
  static constexpr bool is_half = false, kRoundsSums = true;
  explicit Format(ScalarType) {}

  /// Stores sums of products by an instruction that treats denormal numbers as zero, as those that
  /// have added the sums do.
  static void store_sum(Narrow* to, V sums) {
    const __m256bh bits = _mm512_cvtneps_pbh(sums);
    std::memcpy(to, &bits, sizeof(bits));
  }
#else
  static constexpr bool kRoundsSums = false;
  bool is_half;
  explicit Format(ScalarType dtype) : is_half(dtype == kHalf) {}
#endif

  float number(Narrow x) const {
    return is_half ? tern::detail::float_of_half(x.bits) : tern::detail::float_of_bfloat16(x.bits);
  }
  Narrow stored(float x) const {
    return {is_half ? tern::detail::half_of_float(x) : tern::detail::bfloat16_of_float(x)};
  }
  V load(const Narrow* from) const { return is_half ? load_half(from) : load_bfloat16(from); }
  V load_first(const Narrow* from, int n) const {
    Narrow all[kWidth] = {};
    std::memcpy(all, from, static_cast<std::size_t>(n) * sizeof(Narrow));
    return load(all);
  }
  void store(Narrow* to, V value) const {
    is_half ? store_half(to, value) : store_bfloat16(to, value);
  }
  void store_first(Narrow* to, V value, int n) const {
    Narrow all[kWidth];
    store(all, value);
    std::memcpy(to, all, static_cast<std::size_t>(n) * sizeof(Narrow));
  }

  typedef std::uint16_t Bits16 __attribute__((vector_size(2 * kWidth)));
  typedef std::uint32_t Bits32 __attribute__((vector_size(4 * kWidth)));

  static void store_bfloat16(Narrow* to, V value) {
    const auto x = reinterpret_cast<Bits32>(value);
    const Bits32 rounded = (x + 0x7fffu + (x >> 16 & 1u)) >> 16;
    const Bits32 nan = x >> 16 | 0x40u;
    const Bits16 bits =
        __builtin_convertvector((x & 0x7fffffffu) > 0x7f800000u ? nan : rounded, Bits16);
    std::memcpy(to, &bits, sizeof(bits));
  }

  // Compilers widen vectors of 16 bits in several steps.
#if defined(__AVX512F__)
  static V load_bfloat16(const Narrow* from) {
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from));
    return reinterpret_cast<V>(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
  }
#elif defined(__AVX2__) && defined(__FMA__)
  static V load_bfloat16(const Narrow* from) {
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from));
    return reinterpret_cast<V>(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
  }
#else
  static V load_bfloat16(const Narrow* from) {
    Bits16 bits;
    std::memcpy(&bits, from, sizeof(bits));
    return reinterpret_cast<V>(__builtin_convertvector(bits, Bits32) << 16);
  }
#endif

#if defined(__AVX512F__)
  static V load_half(const Narrow* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(from)));
  }
  static void store_half(Narrow* to, V value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to),
                        _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__F16C__) && defined(__AVX2__) && defined(__FMA__)
  static V load_half(const Narrow* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(from)));
  }
  static void store_half(Narrow* to, V value) {
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(to),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
#elif defined(__aarch64__)
  static V load_half(const Narrow* from) {
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&from->bits)));
  }
  static void store_half(Narrow* to, V value) {
    vst1_u16(&to->bits, vreinterpret_u16_f16(vcvt_f16_f32(value)));
  }
#else
  // Not inlined: the formulas are long, and every kind of load has a copy.
  [[gnu::noinline]] static V load_half(const Narrow* from) {
    alignas(kVectorBytes) float numbers[kWidth];
    for (int i = 0; i < kWidth; ++i) numbers[i] = tern::detail::float_of_half(from[i].bits);
    return cpu::load(numbers);
  }
  [[gnu::noinline]] static void store_half(Narrow* to, V value) {
    alignas(kVectorBytes) float numbers[kWidth];
    cpu::store(numbers, value);
    for (int i = 0; i < kWidth; ++i) to[i].bits = tern::detail::half_of_float(numbers[i]);
  }
#endif
};

/// Converts n consecutive elements.
template <class S>
void load_span(const Format<S>& format, SumOf<S>* to, const S* from, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes<SumOf<S>> <= n; i += kLanes<SumOf<S>>)
    cpu::store(to + i, format.load(from + i));
  if (const int rest = static_cast<int>(n - i); rest > 0) {
    cpu::store_first(to + i, format.load_first(from + i, rest), rest);
  }
}

/// Converts n consecutive numbers to elements.
template <class S>
void store_span(const Format<S>& format, S* to, const SumOf<S>* from, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes<SumOf<S>> <= n; i += kLanes<SumOf<S>>)
    format.store(to + i, cpu::load(from + i));
  if (const int rest = static_cast<int>(n - i); rest > 0) {
    format.store_first(to + i, cpu::load_first(from + i, rest), rest);
  }
}

}  // namespace tern::cpu
