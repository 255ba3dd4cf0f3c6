#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <tern/core/kernels/host_device.h>

// Elementary functions of float and double without branches and calls, so that loops over them
// vectorise. The error is at most 4 ulp, including denormals, infinities and NaN. The coefficients
// are our own minimax fits, rounded to the type; each comment names the approximated function.

namespace tern::kernels::math {

template <class T>
struct FloatTraits;

template <>
struct FloatTraits<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr Bits kBias = 127;
  static constexpr Bits kOneBits = 0x3f800000, kSqrtHalfBits = 0x3f3504f3;
  static constexpr float kRound = 0x1.8p23f;  // x + kRound - kRound rounds x to an integer
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kExpLowest = -104.0f, kExpHighest = 89.0f;  // results 0 and inf
  static constexpr float kExpNormal = -87.0f;  // from here on the result is not denormal
  static constexpr float kExpm1Lowest = -20.0f, kTanhHighest = 10.0f;
  static constexpr float kTiny = 0x1p-13f;  // tanh(x) == x below
};

template <>
struct FloatTraits<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr Bits kBias = 1023;
  static constexpr Bits kOneBits = 0x3ff0000000000000, kSqrtHalfBits = 0x3fe6a09e667f3bcd;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kExpLowest = -746.0, kExpHighest = 710.0;
  static constexpr double kExpNormal = -708.0;
  static constexpr double kExpm1Lowest = -40.0, kTanhHighest = 20.0;
  static constexpr double kTiny = 0x1p-28;
};

TERN_HOST_DEVICE std::uint32_t to_bits(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(std::uint32_t, x);
#endif
}
TERN_HOST_DEVICE std::uint64_t to_bits(double x) {
#ifdef __CUDA_ARCH__
  return static_cast<std::uint64_t>(__double_as_longlong(x));
#else
  return __builtin_bit_cast(std::uint64_t, x);
#endif
}
TERN_HOST_DEVICE float from_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}
TERN_HOST_DEVICE double from_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __longlong_as_double(static_cast<long long>(bits));
#else
  return __builtin_bit_cast(double, bits);
#endif
}

TERN_HOST_DEVICE float abs(float x) { return fabsf(x); }
TERN_HOST_DEVICE double abs(double x) { return ::fabs(x); }
TERN_HOST_DEVICE float sqrt(float x) { return sqrtf(x); }
TERN_HOST_DEVICE double sqrt(double x) { return ::sqrt(x); }
TERN_HOST_DEVICE float floor(float x) { return floorf(x); }
TERN_HOST_DEVICE double floor(double x) { return ::floor(x); }
TERN_HOST_DEVICE float ceil(float x) { return ceilf(x); }
TERN_HOST_DEVICE double ceil(double x) { return ::ceil(x); }
TERN_HOST_DEVICE float trunc(float x) { return truncf(x); }
TERN_HOST_DEVICE double trunc(double x) { return ::trunc(x); }
/// Rounds to the nearest integer, ties to even.
TERN_HOST_DEVICE float round_even(float x) { return rintf(x); }
TERN_HOST_DEVICE double round_even(double x) { return ::rint(x); }
TERN_HOST_DEVICE float copysign(float x, float sign) { return copysignf(x, sign); }
TERN_HOST_DEVICE double copysign(double x, double sign) { return ::copysign(x, sign); }

/// a * b + c with one rounding, on every machine.
TERN_HOST_DEVICE double fma(double a, double b, double c) { return ::fma(a, b, c); }
TERN_HOST_DEVICE float fma(float a, float b, float c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
  return fmaf(a, b, c);
#else
  // The product is exact in double. The sum is rounded to odd in double, so that the second
  // rounding, to float, gives the correctly rounded result.
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const std::uint64_t bits = to_bits(sum);
  const bool inexact_even = error != 0 && error - error == 0 && (bits & 1) == 0;
  const std::uint64_t odd = ((error > 0) == (sum > 0)) ? bits + 1 : bits - 1;
  return static_cast<float>(from_bits(inexact_even ? odd : bits));
#endif
}

/// a * b + c, with one rounding if that is cheap.
template <class T>
TERN_HOST_DEVICE T mul_add(T a, T b, T c) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
  return fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// c0 + x (c1 + x (c2 + ...)).
template <class T>
TERN_HOST_DEVICE T polynomial(T /*x*/, T c0) {
  return c0;
}
template <class T, class... Rest>
TERN_HOST_DEVICE T polynomial(T x, T c0, Rest... rest) {
  return mul_add(x, polynomial(x, rest...), c0);
}

/// The larger and the smaller of two numbers; x if it is NaN.
template <class T>
TERN_HOST_DEVICE T at_least(T x, T low) {
  return low > x ? low : x;
}
template <class T>
TERN_HOST_DEVICE T at_most(T x, T high) {
  return high < x ? high : x;
}

/// 2^k for an exponent k in the normal range.
template <class T>
TERN_HOST_DEVICE T power_of_two(typename FloatTraits<T>::Bits k) {
  using Traits = FloatTraits<T>;
  return from_bits(
      static_cast<typename Traits::Bits>((k + Traits::kBias) << Traits::kMantissaBits));
}

/// x = k ln 2 + r with |r| <= ln 2 / 2; k in two's complement.
template <class T>
struct ExpParts {
  typename FloatTraits<T>::Bits k;
  T r;
};

template <class T>
TERN_HOST_DEVICE ExpParts<T> reduce_exp(T x) {
  using Traits = FloatTraits<T>;
  constexpr T kLog2E = static_cast<T>(1.442695040888963407359925);
  const T shifted = mul_add(x, kLog2E, Traits::kRound);
  const T n = shifted - Traits::kRound;
  const T r = mul_add(n, -Traits::kLn2High, x);
  return {static_cast<typename Traits::Bits>(to_bits(shifted) - to_bits(Traits::kRound)),
          mul_add(n, -Traits::kLn2Low, r)};
}

/// e^r - 1 for |r| <= ln 2 / 2, as r + r^2 P(r).
TERN_HOST_DEVICE float expm1_reduced(float r) {
  const float p = polynomial(r, 0.5f, 0.16666576f, 0.041666374f, 0.008363205f, 0.0013941166f);
  return mul_add(r * r, p, r);
}
TERN_HOST_DEVICE double expm1_reduced(double r) {
  const double p =
      polynomial(r, 0.5, 0.16666666666666671009, 0.041666666666666683832, 0.0083333333333261113758,
                 0.0013888888888874356916, 0.00019841269874902987829, 2.4801587347446752759e-5,
                 2.7557255296201253478e-6, 2.7557252804051173388e-7, 2.5105260172320580306e-8,
                 2.0921627450875592132e-9);
  return mul_add(r * r, p, r);
}

template <class T>
TERN_HOST_DEVICE T exp(T x) {
  using Traits = FloatTraits<T>;
  using Bits = typename Traits::Bits;
  const auto [k, r] = reduce_exp(at_most(at_least(x, Traits::kExpLowest), Traits::kExpHighest));
  // Multiplies by two powers, because 2^k alone may overflow or be denormal.
  const Bits half = static_cast<Bits>(((k + 4 * Traits::kBias + 4) >> 1) - 2 * Traits::kBias - 2);
  const T p = expm1_reduced(r) + T(1);
  return p * power_of_two<T>(half) * power_of_two<T>(static_cast<Bits>(k - half));
}

/// exp for x <= 0 in fewer steps.
template <class T>
TERN_HOST_DEVICE T exp_of_negative(T x) {
  using Traits = FloatTraits<T>;
  const auto [k, r] = reduce_exp(at_least(x, Traits::kExpLowest));
  // Larger by 2^64 at first, because 2^k may be denormal.
  const T large =
      (expm1_reduced(r) + T(1)) * power_of_two<T>(static_cast<typename Traits::Bits>(k + 64));
  return large * T(0x1p-64);
}

/// exp for x <= 88 in fewer steps. Returns 0 if the result would be denormal.
template <class T>
TERN_HOST_DEVICE T exp_or_zero(T x) {
  const auto [k, r] = reduce_exp(x);
  const T y = (expm1_reduced(r) + T(1)) * power_of_two<T>(k);
  return x < FloatTraits<T>::kExpNormal ? T(0) : y;
}

/// expm1 for x >= kExpm1Lowest; denormals lose one bit.
template <class T>
TERN_HOST_DEVICE T expm1_bounded(T x) {
  using Bits = typename FloatTraits<T>::Bits;
  const auto [k, r] = reduce_exp(x);
  // Half of 2^k, because 2^k overflows before the result does.
  const T scale = power_of_two<T>(static_cast<Bits>(k - 1));
  return T(2) * mul_add(scale, expm1_reduced(r), scale - T(0.5));
}

template <class T>
TERN_HOST_DEVICE T expm1(T x) {
  using Traits = FloatTraits<T>;
  const T y = expm1_bounded(at_most(at_least(x, Traits::kExpm1Lowest), Traits::kExpHighest));
  return abs(x) < std::numeric_limits<T>::epsilon() / 2 ? x : y;
}

/// A positive normal number, written as 2^exponent * m with m in [sqrt(1/2), sqrt(2)).
template <class T>
struct LogParts {
  typename FloatTraits<T>::Bits biased_exponent;
  T exponent;
  T m;
};

TERN_HOST_DEVICE float exponent_value(std::uint32_t biased) {
  return static_cast<float>(static_cast<std::int32_t>(biased) - 127);
}
TERN_HOST_DEVICE double exponent_value(std::uint64_t biased) {
  // Few machines convert vectors of 64-bit integers; the mantissa of 2^52 converts the integer
  // instead.
  return from_bits(biased | 0x4330000000000000) - (0x1p52 + 1023);
}

template <class T>
TERN_HOST_DEVICE LogParts<T> reduce_log(T x) {
  using Traits = FloatTraits<T>;
  using Bits = typename Traits::Bits;
  constexpr Bits kMask = (Bits(1) << Traits::kMantissaBits) - 1;
  const Bits bits = static_cast<Bits>(to_bits(x) + (Traits::kOneBits - Traits::kSqrtHalfBits));
  const Bits biased = bits >> Traits::kMantissaBits;
  return {biased, exponent_value(biased),
          from_bits(static_cast<Bits>((bits & kMask) + Traits::kSqrtHalfBits))};
}

/// (log(1 + f) - 2 s) / s^3 as a polynomial in z = s^2, where s = f / (2 + f).
TERN_HOST_DEVICE float log_tail(float z) {
  return polynomial(z, 0.6666667f, 0.40000123f, 0.285507f, 0.23333418f);
}
TERN_HOST_DEVICE double log_tail(double z) {
  return polynomial(z, 0.66666666666666697484, 0.39999999999897886446, 0.28571428626653158584,
                    0.22222211031420262173, 0.18182896231410610301, 0.15331497016741585054,
                    0.14619105587932158368);
}

/// exponent ln 2 + log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1].
template <class T>
TERN_HOST_DEVICE T log_assemble(T exponent, T f) {
  using Traits = FloatTraits<T>;
  const T s = f / (T(2) + f);
  const T z = s * s;
  const T half_square = T(0.5) * f * f;
  const T correction = mul_add(s, mul_add(z, log_tail(z), half_square), exponent * Traits::kLn2Low);
  return mul_add(exponent, Traits::kLn2High, f - (half_square - correction));
}

/// log of a positive normal number.
template <class T>
TERN_HOST_DEVICE T log_of_normal(T x) {
  const LogParts<T> parts = reduce_log(x);
  return log_assemble(parts.exponent, parts.m - T(1));
}

/// The logarithm whose `assemble(exponent, f)` is that of 2^exponent (1 + f).
template <class T, class Assemble>
TERN_HOST_DEVICE T log_by(T x, Assemble assemble) {
  using Traits = FloatTraits<T>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kLift = static_cast<T>(Traits::kBias == 127 ? 0x1p24 : 0x1p54);
  constexpr T kLiftExponent = Traits::kBias == 127 ? 24 : 54;
  const bool denormal = x < std::numeric_limits<T>::min();
  const LogParts<T> parts = reduce_log(denormal ? x * kLift : x);
  const T exponent = denormal ? parts.exponent - kLiftExponent : parts.exponent;
  const T y = assemble(exponent, parts.m - T(1));
  const T edge = x == 0 ? -kInfinity : std::numeric_limits<T>::quiet_NaN();
  return x > 0 ? (x < kInfinity ? y : x) : edge;
}

template <class T>
struct AssembleLog {
  TERN_HOST_DEVICE T operator()(T exponent, T f) const { return log_assemble(exponent, f); }
};
template <class T>
TERN_HOST_DEVICE T log(T x) {
  return log_by(x, AssembleLog<T>());
}

/// log1p for finite x > -1.
template <class T>
TERN_HOST_DEVICE T log1p_finite(T x) {
  using Traits = FloatTraits<T>;
  using Bits = typename Traits::Bits;
  const T u = T(1) + x;
  // The exact rounding error of 1 + x, added to the mantissa at the mantissa's scale.
  const T lost = abs(x) < T(1) ? x - (u - T(1)) : T(1) - (u - x);
  const LogParts<T> parts = reduce_log(u);
  // Twice the scale, because the exponent may be one above the largest.
  const T scale = from_bits(
      static_cast<Bits>((2 * Traits::kBias + 1 - parts.biased_exponent) << Traits::kMantissaBits));
  return log_assemble(parts.exponent, mul_add(T(0.5) * lost, scale, parts.m - T(1)));
}

template <class T>
TERN_HOST_DEVICE T log1p(T x) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T y = log1p_finite(x);
  const T edge = x == T(-1) ? -kInfinity : std::numeric_limits<T>::quiet_NaN();
  const T inside = abs(x) < std::numeric_limits<T>::epsilon() / 2 || x == kInfinity ? x : y;
  return x > T(-1) ? inside : edge;
}

/// Computes -t / (2 + t) with t = e^(-2 |x|) - 1, which keeps small x accurate.
template <class T>
TERN_HOST_DEVICE T tanh(T x) {
  using Traits = FloatTraits<T>;
  const T t = expm1_bounded(T(-2) * at_most(abs(x), Traits::kTanhHighest));
  const T y = copysign(-t / (T(2) + t), x);
  return abs(x) < Traits::kTiny ? x : y;
}

/// Computes 1 / (1 + e^-x) from e^-|x|, which never overflows.
template <class T>
TERN_HOST_DEVICE T sigmoid(T x) {
  const T e = exp_of_negative(-abs(x));
  return (x < 0 ? e : T(1)) / (T(1) + e);
}

}  // namespace tern::kernels::math
