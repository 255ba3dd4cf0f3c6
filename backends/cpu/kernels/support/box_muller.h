#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// Computes pairs of normal numbers from pairs of uniform numbers by the Box-Muller method, with the
// arithmetic of PyTorch's vectorised CPU kernel: Cephes' single-precision logf, sinf and cosf, with
// fused multiply-adds exactly where they are written here. Branch-free, so that loops vectorise.

namespace tern::cpu {

/// Returns ln(x) for normal x > 0.
inline float cephes_log(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  float e = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 126);
  float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);  // x = m * 2^e, m in [0.5, 1)
  const bool low = m < 0.70710678f;
  e -= low ? 1.0f : 0.0f;
  m = (m - 1.0f) + (low ? m : 0.0f);
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = std::fma(p, m, -1.1514610310e-1f);
  p = std::fma(p, m, 1.1676998740e-1f);
  p = std::fma(p, m, -1.2420140846e-1f);
  p = std::fma(p, m, 1.4249322787e-1f);
  p = std::fma(p, m, -1.6668057665e-1f);
  p = std::fma(p, m, 2.0000714765e-1f);
  p = std::fma(p, m, -2.4999993993e-1f);
  p = std::fma(p, m, 3.3333331174e-1f);
  float y = std::fma(p * m, z, e * -2.12194440e-4f);
  y = std::fma(-0.5f, z, y);
  return std::fma(e, 0.693359375f, m + y);
}

struct SinCos {
  float sin, cos;
};

/// Returns sin(t) and cos(t) for 0 <= t < 8192.
inline SinCos cephes_sincos(float t) {
  const std::int32_t octant = (static_cast<std::int32_t>(t * 1.27323954473516f) + 1) & ~1;
  const float y = static_cast<float>(octant);
  t = std::fma(y, -0.78515625f, t);
  t = std::fma(y, -2.4187564849853515625e-4f, t);
  t = std::fma(y, -3.77489497744594108e-8f, t);
  const float z = t * t;
  float c = std::fma(2.443315711809948e-5f, z, -1.388731625493765e-3f);
  c = std::fma(c, z, 4.166664568298827e-2f);
  c = std::fma(c * z, z, -(z * 0.5f)) + 1.0f;
  float s = std::fma(-1.9515295891e-4f, z, 8.3321608736e-3f);
  s = std::fma(s, z, -1.6666654611e-1f);
  s = std::fma(s * z, t, t);
  const bool swap = (octant & 2) != 0;
  const float sine = swap ? c : s, cosine = swap ? s : c;
  return {(octant & 4) != 0 ? -sine : sine, ((octant - 2) & 4) == 0 ? -cosine : cosine};
}

template <class T>
struct NormalPair {
  T cos, sin;
};

/// Returns two standard normal numbers, computed from two uniform numbers in [0, 1).
inline NormalPair<float> box_muller(float u1, float u2) {
  const float radius = std::sqrt(-2.0f * cephes_log(1.0f - u1));
  const SinCos angle = cephes_sincos(6.2831855f * u2);
  return {radius * angle.cos, radius * angle.sin};
}

/// Does the same with the C library's functions, as PyTorch does in double.
inline NormalPair<double> box_muller(double u1, double u2) {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - u1));
  const double angle = 6.283185307179586 * u2;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace tern::cpu
