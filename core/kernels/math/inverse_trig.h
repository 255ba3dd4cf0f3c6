#pragma once

#include <type_traits>

#include <tern/core/kernels/math/math.h>

// The inverse trigonometric functions. The coefficients are our own minimax fits.

namespace tern::kernels::math {

/// (asin(s) - s) / s^3 as a polynomial in z = s^2 for z <= 1/4.
TERN_HOST_DEVICE float asin_tail(float z) {
  return polynomial(z, 0.166667526f, 0.0749529254f, 0.0454710281f, 0.0241762544f, 0.0421718835f);
}
TERN_HOST_DEVICE double asin_tail(double z) {
  return polynomial(z, 0.16666666666665406586, 0.075000000003375781924, 0.044642856827855485273,
                    0.030381959156602009569, 0.022371757579702501313, 0.017359711824823158532,
                    0.013885166328939597551, 0.01216966054010287289, 0.0065260581361588427955,
                    0.019533441691721558542, -0.016232263561738542096, 0.031917683638957507344);
}

/// Returns |asin(x)| for |x| <= 1/2, else asin(sqrt((1 - |x|) / 2)), where 1 - |x| is exact.
template <class T>
TERN_HOST_DEVICE T asin_part(T x, bool is_large) {
  const T a = abs(x);
  const T z = is_large ? T(0.5) * (T(1) - a) : a * a;
  const T s = sqrt(z);  // without a select, so that loops vectorise: sqrt(a * a) is a
  return mul_add(s * z, asin_tail(z), s);
}

template <class T>
constexpr T kHalfPi = static_cast<T>(1.570796326794896619231);
/// pi/2 - kHalfPi<T>.
template <class T>
constexpr T kHalfPiRest = std::is_same_v<T, float> ? T(-4.3711390001862428308e-8)
                                                   : T(6.1232339957367658861e-17);

/// asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
template <class T>
TERN_HOST_DEVICE T asin(T x) {
  const bool is_large = abs(x) > T(0.5);
  const T part = asin_part(x, is_large);
  const T y = is_large ? kHalfPi<T> - (T(2) * part - kHalfPiRest<T>) : part;
  return abs(x) < FloatTraits<T>::kTiny ? x : copysign(y, x);
}

template <class T>
TERN_HOST_DEVICE T acos(T x) {
  const bool is_large = abs(x) > T(0.5);
  const T part = asin_part(x, is_large);
  const T near_one = x < 0 ? T(2) * (kHalfPi<T> - (part - kHalfPiRest<T>)) : T(2) * part;
  return is_large ? near_one : kHalfPi<T> - (copysign(part, x) - kHalfPiRest<T>);
}

/// (atan(s) - s) / s^3 as a polynomial in z = s^2 for |s| <= tan(pi/8).
TERN_HOST_DEVICE float atan_tail(float z) {
  return polynomial(z, -0.333333155f, 0.199984896f, -0.142438513f, 0.105960146f, -0.0608347456f);
}
TERN_HOST_DEVICE double atan_tail(double z) {
  return polynomial(z, -0.33333333333333207903, 0.19999999999955877528, -0.14285714280389968076,
                    0.1111111079199296159, -0.090908979809339556692, 0.076920638979449898932,
                    -0.06663143402553378202, 0.05848161011990801059, -0.050404745840127774171,
                    0.038093119670847350259, -0.017937391821781135509);
}

/// With t = tan(pi/8): atan(x) = pi/4 + atan((x - 1) / (x + 1)) from t on, pi/2 + atan(-1 / x) from
/// 1 / t on.
template <class T>
TERN_HOST_DEVICE T atan(T x) {
  const T a = abs(x);
  const bool is_middle = a > static_cast<T>(0.4142135623730950488);
  const bool is_large = a > static_cast<T>(2.414213562373095049);
  const T numerator = is_large ? T(-1) : (is_middle ? a - T(1) : a);
  const T denominator = is_large ? a : (is_middle ? a + T(1) : T(1));
  const T base = is_large ? kHalfPi<T> : (is_middle ? T(0.5) * kHalfPi<T> : T(0));
  const T rest = is_large ? kHalfPiRest<T> : (is_middle ? T(0.5) * kHalfPiRest<T> : T(0));
  const T s = numerator / denominator;
  const T z = s * s;
  return copysign(base + (mul_add(s * z, atan_tail(z), s) + rest), x);
}

}  // namespace tern::kernels::math
