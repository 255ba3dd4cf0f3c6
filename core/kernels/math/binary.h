#pragma once

#include <tern/core/kernels/math/inverse_trig.h>

// Elementary functions of two numbers, without branches and calls as in math.h.

namespace tern::kernels::math {

template <class T>
struct QuarterPi;
template <>
struct QuarterPi<float> {
  static constexpr float kHigh = 0.785398185253143310546875f, kLow = -2.1855694e-08f;
};
template <>
struct QuarterPi<double> {
  static constexpr double kHigh = 0.7853981633974483, kLow = 3.061616997868379e-17;
};

/// The angle of the point (x, y). The angle in the first octant is atan(t) with t <= 1, or
/// pi / 4 + atan((t - 1) / (t + 1)) for large t; symmetry gives the others.
template <class T>
TERN_HOST_DEVICE T atan2(T y, T x) {
  constexpr T kTanPi8 = static_cast<T>(0.41421356237309504880);
  const T ax = abs(x), ay = abs(y);
  const bool swaps = ay > ax, is_left = copysign(T(1), x) < 0;
  const T high = swaps ? ay : ax, low = swaps ? ax : ay;
  const T equal = high == 0 ? T(0) : T(1);  // the quotients of two zeros and of two infinities
  const T t = low == high ? equal : low / high;
  const bool is_large = t > kTanPi8;
  const T u = is_large ? (t - T(1)) / (t + T(1)) : t;
  const T z = u * u;
  const T r = mul_add(u * z, atan_tail(z), u);
  // The result is quarters * pi / 4 + r or - r.
  const T quarters = is_large ? T(1) : T(0);
  const T upper = swaps ? T(2) - quarters : quarters;
  const T all = is_left ? T(4) - upper : upper;
  const T in_quarter = swaps != is_left ? -r : r;
  const T angle = mul_add(all, QuarterPi<T>::kHigh, mul_add(all, QuarterPi<T>::kLow, in_quarter));
  return copysign(angle, y);
}

/// sqrt(x^2 + y^2) without overflow; infinite if either number is, even beside NaN.
TERN_HOST_DEVICE float hypot(float x, float y) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const double a = x, b = y;
  const float r = static_cast<float>(sqrt(a * a + b * b));
  const bool is_infinite = (abs(x) == kInfinity) | (abs(y) == kInfinity);
  if (is_infinite) return kInfinity;
  return r;
}
TERN_HOST_DEVICE double hypot(double x, double y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double a = abs(x), b = abs(y), high = a > b ? a : b;
  const bool is_large = high > 0x1p500, is_small = high < 0x1p-500;
  const double small_scale = is_small ? 0x1p600 : 1.0, small_back = is_small ? 0x1p-600 : 1.0;
  const double scale = is_large ? 0x1p-600 : small_scale, back = is_large ? 0x1p600 : small_back;
  const double c = a * scale, d = b * scale;
  const double r = sqrt(mul_add(c, c, d * d)) * back;
  const bool is_infinite = (a == kInfinity) | (b == kInfinity);
  if (is_infinite) return kInfinity;
  return r;
}

/// 2^x for x <= 0.
template <class T>
TERN_HOST_DEVICE T exp2_of_negative(T x) {
  using Traits = FloatTraits<T>;
  constexpr T kLowest = static_cast<T>(Traits::kBias == 127 ? -151 : -1076);
  constexpr T kLn2 = static_cast<T>(0.693147180559945309417);
  const T bounded = at_least(x, kLowest);
  const T shifted = bounded + Traits::kRound;
  const T r = (bounded - (shifted - Traits::kRound)) * kLn2;
  const auto k =
      static_cast<typename Traits::Bits>(to_bits(shifted) - to_bits(Traits::kRound) + 64);
  // Larger by 2^64 at first, because 2^k may be denormal.
  return (expm1_reduced(r) + T(1)) * power_of_two<T>(k) * T(0x1p-64);
}

/// x 2^n with one rounding, for an n without a fraction.
TERN_HOST_DEVICE float ldexp(float x, float n) {
  const float exponent = at_most(at_least(n == n ? n : 0.0f, -300.0f), 300.0f);
  const auto k = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(exponent)});
  const auto y = static_cast<float>(x * power_of_two<double>(k));
  return n == n ? y : n;
}
TERN_HOST_DEVICE double ldexp(double x, double n) {
  const double exponent = at_most(at_least(n == n ? n : 0.0, -2200.0), 2200.0);
  const double y = ::ldexp(x, static_cast<int>(exponent));
  return n == n ? y : n;
}

/// log(e^-distance + 1) for distance >= 0.
template <class T>
TERN_HOST_DEVICE T log_of_exp_and_one(T distance) {
  return log1p_finite(exp_of_negative(-distance));
}

/// log2(2^-distance + 1) for distance >= 0.
template <class T>
TERN_HOST_DEVICE T log2_of_exp2_and_one(T distance) {
  constexpr T kLog2E = static_cast<T>(1.442695040888963407359925);
  return log1p_finite(exp2_of_negative(-distance)) * kLog2E;
}

}  // namespace tern::kernels::math
