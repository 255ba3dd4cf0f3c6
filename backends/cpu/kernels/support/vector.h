#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Vectors of the instruction set that this file is compiled for. The compiler provides plain
// arithmetic; fused multiply-add and the first n lanes of a vector need functions.

namespace tern::cpu {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;  // SSE2, NEON
#endif

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

/// Loads a vector from any address.
template <class T>
inline Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}
template <class T>
inline void store(T* to, const Vector<T>& v) {
  std::memcpy(to, &v, sizeof(v));
}

/// Returns a vector whose lanes are all `value`.
template <class T>
inline Vector<T> broadcast(T value) {
  return value - Vector<T>{};
}

/// Returns a * b + c, with one rounding if the instruction set supports it.
template <class V>
inline V fma(V a, V b, V c) {
  return a * b + c;
}

/// Loads the first n lanes, 0 <= n < kLanes<T>; the others are zero.
template <class T>
inline Vector<T> load_first(const T* from, int n) {
  Vector<T> value{};
  std::memcpy(&value, from, static_cast<std::size_t>(n) * sizeof(T));
  return value;
}
template <class T>
inline void store_first(T* to, const Vector<T>& value, int n) {
  std::memcpy(to, &value, static_cast<std::size_t>(n) * sizeof(T));
}

#if defined(__AVX512F__)

inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
inline Vector<float> load_first(const float* from, int n) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from);
}
inline Vector<double> load_first(const double* from, int n) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from);
}
inline void store_first(float* to, Vector<float> value, int n) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), value);
}
inline void store_first(double* to, Vector<double> value, int n) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), value);
}

#elif defined(__AVX2__) && defined(__FMA__)

inline __m256i first_lanes_32(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
inline __m256i first_lanes_64(int n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}

inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
inline Vector<float> load_first(const float* from, int n) {
  return _mm256_maskload_ps(from, first_lanes_32(n));
}
inline Vector<double> load_first(const double* from, int n) {
  return _mm256_maskload_pd(from, first_lanes_64(n));
}
inline void store_first(float* to, Vector<float> value, int n) {
  _mm256_maskstore_ps(to, first_lanes_32(n), value);
}
inline void store_first(double* to, Vector<double> value, int n) {
  _mm256_maskstore_pd(to, first_lanes_64(n), value);
}

#elif defined(__aarch64__)

inline Vector<float> fma(Vector<float> a, Vector<float> b, Vector<float> c) {
  return vfmaq_f32(c, a, b);
}
inline Vector<double> fma(Vector<double> a, Vector<double> b, Vector<double> c) {
  return vfmaq_f64(c, a, b);
}

#endif

}  // namespace tern::cpu
