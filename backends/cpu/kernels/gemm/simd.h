#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <tern/backends/cpu/kernels/support/run.h>

// Vectors of the instruction set that this file is compiled for. The compiler provides plain
// arithmetic; fused multiply-add and the first n lanes of a vector need functions.

namespace tern::cpu {

template <class T>
struct Simd {
  typedef T V __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(alignof(T)), may_alias));
  static constexpr int kWidth = kVectorBytes / static_cast<int>(sizeof(T));

  static V load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static void store(T* to, V value) { *reinterpret_cast<Unaligned*>(to) = value; }
  static V broadcast(T value) { return value - V{}; }

  /// Returns a * b + c, with one rounding if the instruction set supports it.
  static V fma(V a, V b, V c) { return a * b + c; }

  /// Loads the first n lanes, 0 <= n < kWidth; the others are zero.
  static V load_first(const T* from, int n) {
    V value{};
    std::memcpy(&value, from, static_cast<std::size_t>(n) * sizeof(T));
    return value;
  }
  static void store_first(T* to, V value, int n) {
    std::memcpy(to, &value, static_cast<std::size_t>(n) * sizeof(T));
  }
};

#if defined(__AVX512F__)

template <>
inline Simd<float>::V Simd<float>::fma(V a, V b, V c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <>
inline Simd<double>::V Simd<double>::fma(V a, V b, V c) {
  return _mm512_fmadd_pd(a, b, c);
}
template <>
inline Simd<float>::V Simd<float>::load_first(const float* from, int n) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
}
template <>
inline Simd<double>::V Simd<double>::load_first(const double* from, int n) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
}
template <>
inline void Simd<float>::store_first(float* to, V value, int n) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), value);
}
template <>
inline void Simd<double>::store_first(double* to, V value, int n) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), value);
}

#elif defined(__AVX2__) && defined(__FMA__)

inline __m256i first_lanes_32(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline __m256i first_lanes_64(int n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

template <>
inline Simd<float>::V Simd<float>::fma(V a, V b, V c) {
  return _mm256_fmadd_ps(a, b, c);
}
template <>
inline Simd<double>::V Simd<double>::fma(V a, V b, V c) {
  return _mm256_fmadd_pd(a, b, c);
}
template <>
inline Simd<float>::V Simd<float>::load_first(const float* from, int n) {
  return _mm256_maskload_ps(from, first_lanes_32(n));
}
template <>
inline Simd<double>::V Simd<double>::load_first(const double* from, int n) {
  return _mm256_maskload_pd(from, first_lanes_64(n));
}
template <>
inline void Simd<float>::store_first(float* to, V value, int n) {
  _mm256_maskstore_ps(to, first_lanes_32(n), value);
}
template <>
inline void Simd<double>::store_first(double* to, V value, int n) {
  _mm256_maskstore_pd(to, first_lanes_64(n), value);
}

#elif defined(__aarch64__)

template <>
inline Simd<float>::V Simd<float>::fma(V a, V b, V c) {
  return vfmaq_f32(c, a, b);
}
template <>
inline Simd<double>::V Simd<double>::fma(V a, V b, V c) {
  return vfmaq_f64(c, a, b);
}

#endif

}  // namespace tern::cpu
