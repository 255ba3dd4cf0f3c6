#pragma once

#include <type_traits>

#include <tern/core/kernels/math/math.h>

// Exponential and logarithms to other bases, and the parts of a floating number.

namespace tern::kernels::math {

template <class T>
TERN_HOST_DEVICE T exp2(T x) {
  using Traits = FloatTraits<T>;
  using Bits = typename Traits::Bits;
  constexpr T kLn2 = static_cast<T>(0.693147180559945309417);
  constexpr T kLowest = Traits::kBias == 127 ? T(-151) : T(-1076);
  constexpr T kHighest = Traits::kBias == 127 ? T(129) : T(1025);
  const T limited = at_most(at_least(x, kLowest), kHighest);
  const T shifted = limited + Traits::kRound;
  const auto k = static_cast<Bits>(to_bits(shifted) - to_bits(Traits::kRound));
  const T p = expm1_reduced((limited - (shifted - Traits::kRound)) * kLn2) + T(1);
  // As in exp: 2^k alone may overflow or be denormal.
  const Bits half = static_cast<Bits>(((k + 4 * Traits::kBias + 4) >> 1) - 2 * Traits::kBias - 2);
  return p * power_of_two<T>(half) * power_of_two<T>(static_cast<Bits>(k - half));
}

/// The exponent stays exact, so that powers of two have exact results.
template <class T>
struct AssembleLog2 {
  TERN_HOST_DEVICE T operator()(T exponent, T f) const {
    return mul_add(log_assemble(T(0), f), static_cast<T>(1.442695040888963407360), exponent);
  }
};
template <class T>
TERN_HOST_DEVICE T log2(T x) {
  return log_by(x, AssembleLog2<T>());
}

template <class T>
struct AssembleLog10 {
  TERN_HOST_DEVICE T operator()(T exponent, T f) const {
    // log10(2) in two parts; an exponent times the first one is exact.
    constexpr T kHigh = std::is_same_v<T, float> ? T(0x1.344p-2) : T(0x1.34413509fp-2);
    constexpr T kLow =
        std::is_same_v<T, float> ? T(4.6050389811952137389e-6) : T(1.7336659603752854105e-12);
    const T tail =
        mul_add(exponent, kLow, log_assemble(T(0), f) * static_cast<T>(0.434294481903251827651));
    return mul_add(exponent, kHigh, tail);
  }
};
template <class T>
TERN_HOST_DEVICE T log10(T x) {
  return log_by(x, AssembleLog10<T>());
}

/// log(x / (1 - x)) as exponent ln 2 + log(m), where m is in [sqrt(1/2), sqrt(2)] and log(m) a
/// series in s = (m - 1) / (m + 1). Near 1/2 the exponent is 0 and s = 2 x - 1, which is exact.
template <class T>
TERN_HOST_DEVICE T logit(T x) {
  using Traits = FloatTraits<T>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  constexpr T kLift = static_cast<T>(0x1p64), kSqrt2 = static_cast<T>(1.414213562373095049);
  const bool is_tiny = x < std::numeric_limits<T>::min();
  const LogParts<T> over = reduce_log(is_tiny ? x * kLift : x), under = reduce_log(T(1) - x);
  const bool is_above = over.m > kSqrt2 * under.m, is_below = under.m > kSqrt2 * over.m;
  const T factor = is_above ? T(0.5) : (is_below ? T(2) : T(1));
  const T carry = is_above ? T(1) : (is_below ? T(-1) : T(0));
  const bool is_middle = abs(x - T(0.5)) < T(0.0857);
  const T numerator = is_middle ? T(2) * x - T(1) : factor * over.m - under.m;
  const T s = numerator / (is_middle ? T(1) : factor * over.m + under.m);
  const T lifted = (over.exponent - under.exponent) + (carry - (is_tiny ? T(64) : T(0)));
  const T exponent = is_middle ? T(0) : lifted;
  const T z = s * s;
  const T tail = mul_add(s * z, log_tail(z), exponent * Traits::kLn2Low);
  const T y = mul_add(exponent, Traits::kLn2High, mul_add(T(2), s, tail));
  const T edge =
      x == 0 ? -kInfinity : (x == T(1) ? kInfinity : std::numeric_limits<T>::quiet_NaN());
  return x > 0 && x < T(1) ? y : edge;
}

/// x = mantissa * 2^exponent with |mantissa| in [1/2, 1); (x, 0) for 0, infinities and NaN.
template <class T>
struct FrexpParts {
  T mantissa, exponent;
};

template <class T>
TERN_HOST_DEVICE FrexpParts<T> frexp(T x) {
  using Traits = FloatTraits<T>;
  using Bits = typename Traits::Bits;
  constexpr T kLift = static_cast<T>(0x1p64);
  constexpr Bits kExponentMask = (2 * Traits::kBias + 1) << Traits::kMantissaBits;
  const T a = abs(x);
  const bool is_denormal = a < std::numeric_limits<T>::min();
  const Bits bits = to_bits(is_denormal ? x * kLift : x);
  const T exponent =
      exponent_value(static_cast<Bits>((bits & kExponentMask) >> Traits::kMantissaBits)) +
      (is_denormal ? T(-63) : T(1));
  const T mantissa = from_bits(
      static_cast<Bits>((bits & ~kExponentMask) | ((Traits::kBias - 1) << Traits::kMantissaBits)));
  const bool is_ordinary = a > 0 && a < std::numeric_limits<T>::infinity();
  return {is_ordinary ? mantissa : x, is_ordinary ? exponent : T(0)};
}

}  // namespace tern::kernels::math
