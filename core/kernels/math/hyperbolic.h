#pragma once

#include <type_traits>

#include <tern/core/kernels/math/math.h>

// The hyperbolic functions and their inverses, except tanh.

namespace tern::kernels::math {

/// Beyond this number both results are infinite.
template <class T>
constexpr T kHyperbolicHighest = std::is_same_v<T, float> ? T(89.5) : T(710.5);

template <class T>
struct HyperbolicParts {
  T quarter;  // a quarter of 2^k, because 2^k overflows before the results do
  T reduced;  // e^r - 1; e^|x| = 2^k e^r
};

template <class T>
TERN_HOST_DEVICE HyperbolicParts<T> reduce_hyperbolic(T x) {
  using Bits = typename FloatTraits<T>::Bits;
  const auto [k, r] = reduce_exp(at_most(abs(x), kHyperbolicHighest<T>));
  return {power_of_two<T>(static_cast<Bits>(k - 2)), expm1_reduced(r)};
}

/// Computes (t + t / (t + 1)) / 2 with t = e^|x| - 1, which keeps small x accurate.
template <class T>
TERN_HOST_DEVICE T sinh(T x) {
  const HyperbolicParts<T> parts = reduce_hyperbolic(x);
  const T q = mul_add(parts.quarter, parts.reduced, parts.quarter - T(0.25));  // t / 4
  const T y = copysign(T(2) * (q + q / (T(4) * q + T(1))), x);
  return abs(x) < FloatTraits<T>::kTiny ? x : y;
}

template <class T>
TERN_HOST_DEVICE T cosh(T x) {
  const HyperbolicParts<T> parts = reduce_hyperbolic(x);
  const T e = mul_add(parts.quarter, parts.reduced, parts.quarter);  // e^|x| / 4
  return T(2) * (e + T(0.0625) / e);
}

/// log(1 + v), plus ln 2 if `doubles`.
template <class T>
TERN_HOST_DEVICE T log1p_or_doubled(T v, bool doubles) {
  constexpr T kLn2 = static_cast<T>(0.693147180559945309417);
  return log1p_finite(v) + (doubles ? kLn2 : T(0));
}

/// From here on x^2 + 1 rounds to x^2.
template <class T>
constexpr T kSquareHides = std::is_same_v<T, float> ? T(0x1p13) : T(0x1p28);

/// Computes log(a + sqrt(a^2 + 1)) for a = |x|, and log(2 a) if a is large.
template <class T>
TERN_HOST_DEVICE T asinh(T x) {
  const T a = abs(x);
  const bool is_large = a > kSquareHides<T>;
  const T square = a * a;
  const T v = is_large ? a - T(1) : a + square / (T(1) + sqrt(square + T(1)));
  const T y = copysign(log1p_or_doubled(v, is_large), x);
  return abs(x) < FloatTraits<T>::kTiny || a > std::numeric_limits<T>::max() ? x : y;
}

/// Computes log(x + sqrt(x^2 - 1)) from t = x - 1, which keeps x near 1 accurate.
template <class T>
TERN_HOST_DEVICE T acosh(T x) {
  const T t = x - T(1);
  const bool is_large = x > kSquareHides<T>;
  const T v = is_large ? t : t + sqrt(t * (t + T(2)));
  const T y = log1p_or_doubled(v, is_large);
  const T finite = x > std::numeric_limits<T>::max() ? x : y;
  return x < T(1) ? std::numeric_limits<T>::quiet_NaN() : finite;
}

/// Computes log(1 + 2 a / (1 - a)) / 2 for a = |x|.
template <class T>
TERN_HOST_DEVICE T atanh(T x) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T a = abs(x);
  const T y = copysign(T(0.5) * log1p_finite(T(2) * a / (T(1) - a)), x);
  const T edge = a == T(1) ? copysign(kInfinity, x) : std::numeric_limits<T>::quiet_NaN();
  return a < FloatTraits<T>::kTiny ? x : (a < T(1) ? y : edge);
}

}  // namespace tern::kernels::math
