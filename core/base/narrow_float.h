#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tern {
namespace detail {

/// True for Half and BFloat16.
template <class T>
inline constexpr bool kIsNarrowFloat = false;

/// What std::numeric_limits says of a type of 16 bits with `kDigits` bits of precision, whose
/// numbers are below 2^kMaxExponent.
template <class T, int kDigits, int kMaxExponent>
class NarrowLimits : public std::numeric_limits<float> {
  static constexpr int kFraction = kDigits - 1;
  static constexpr std::uint16_t kInfinity = (2 * kMaxExponent - 1) << kFraction;
  /// Returns log10(2) times n, rounded down.
  static constexpr int decimals(int n) { return (n * 30103 - (n < 0 ? 99999 : 0)) / 100000; }

 public:
  static constexpr int digits = kDigits;
  static constexpr int digits10 = decimals(kFraction);
  static constexpr int max_digits10 = decimals(kDigits) + 2;
  static constexpr int min_exponent = 3 - kMaxExponent;
  static constexpr int min_exponent10 = decimals(min_exponent - 1) + 1;
  static constexpr int max_exponent = kMaxExponent;
  static constexpr int max_exponent10 = decimals(kMaxExponent);
  static constexpr T min() { return T::from_bits(1 << kFraction); }
  static constexpr T max() { return T::from_bits(kInfinity - 1); }
  static constexpr T lowest() { return T::from_bits(0x8000 | (kInfinity - 1)); }
  static constexpr T epsilon() { return T(1.0f / (1 << kFraction)); }
  static constexpr T round_error() { return T(0.5f); }
  static constexpr T infinity() { return T::from_bits(kInfinity); }
  static constexpr T quiet_NaN() { return T::from_bits(kInfinity | 1 << (kFraction - 1)); }
  static constexpr T signaling_NaN() { return T::from_bits(kInfinity | 1 << (kFraction - 2)); }
  static constexpr T denorm_min() { return T::from_bits(1); }
};

/// Gives a number what changes it in place.
template <class T>
struct NarrowAssignment {
  /// Adds `b`, rounded to T, to `a`.
  friend constexpr T& operator+=(T& a, T b) { return a = a + b; }
  /// Subtracts `b`, rounded to T, from `a`.
  friend constexpr T& operator-=(T& a, T b) { return a = a - b; }
  /// Multiplies `a` by `b`, rounded to T.
  friend constexpr T& operator*=(T& a, T b) { return a = a * b; }
  /// Divides `a` by `b`, rounded to T.
  friend constexpr T& operator/=(T& a, T b) { return a = a / b; }
};

}  // namespace detail

/// Half and BFloat16. Two numbers of one type, or one and an integer, give that type: the result in
/// float is rounded. With a float or a double the result is float or double, as for C++'s own
/// types.
template <class T>
concept NarrowFloat = detail::kIsNarrowFloat<T>;

/// Returns the sum, computed in float and rounded to T.
template <NarrowFloat T>
constexpr T operator+(T a, T b) {
  return T(static_cast<float>(a) + static_cast<float>(b));
}
/// Returns the difference, computed in float and rounded to T.
template <NarrowFloat T>
constexpr T operator-(T a, T b) {
  return T(static_cast<float>(a) - static_cast<float>(b));
}
/// Returns the product, computed in float and rounded to T.
template <NarrowFloat T>
constexpr T operator*(T a, T b) {
  return T(static_cast<float>(a) * static_cast<float>(b));
}
/// Returns the quotient, computed in float and rounded to T.
template <NarrowFloat T>
constexpr T operator/(T a, T b) {
  return T(static_cast<float>(a) / static_cast<float>(b));
}

/// Returns the sum; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator+(T a, I b) {
  return a + T(b);
}
/// Returns the difference; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator-(T a, I b) {
  return a - T(b);
}
/// Returns the product; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator*(T a, I b) {
  return a * T(b);
}
/// Returns the quotient; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator/(T a, I b) {
  return a / T(b);
}
/// Returns the sum; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator+(I a, T b) {
  return T(a) + b;
}
/// Returns the difference; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator-(I a, T b) {
  return T(a) - b;
}
/// Returns the product; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator*(I a, T b) {
  return T(a) * b;
}
/// Returns the quotient; the integer is rounded to T first.
template <NarrowFloat T, std::integral I>
constexpr T operator/(I a, T b) {
  return T(a) / b;
}

/// Returns the number with the other sign.
template <NarrowFloat T>
constexpr T operator-(T a) {
  return T::from_bits(a.bits ^ 0x8000);
}

}  // namespace tern
