#pragma once

#include <tern/core/kernels/math/math.h>
#include <tern/core/kernels/math/pow.h>
#include <tern/core/kernels/math/trig.h>

// The logarithm of the gamma function and its derivatives. All compute in double: near a zero of
// the result, terms of a larger size cancel out.

namespace tern::kernels::math {

/// lgamma(2 + u) / u for |u| <= 1/2. The coefficients are our own minimax fit.
TERN_HOST_DEVICE double lgamma_near_two(double u) {
  return polynomial(u, 0.42278433509846713971, 0.32246703342411323462, -0.067352301053198311696,
                    0.020580808427780570726, -0.0073855510286497744649, 0.0028905103310236443875,
                    -0.0011927539127559922036, 0.00050966951567798507737,
                    -0.00022315473520990187761, 0.00009945767000998227897,
                    -0.000044926530670625488641, 0.000020505617571577039992,
                    -9.4372395512418652384e-6, 4.3845889739579265871e-6, -2.0497442100562710816e-6,
                    9.2031643258921508919e-7, -4.2006271272506674874e-7, 2.7849287194258050147e-7,
                    -1.4327906337872948376e-7);
}

/// Stirling's series without its first terms, times a, in z = 1 / a^2 for a >= 8 (Abramowitz and
/// Stegun 6.1.41). The coefficients are our own minimax fit.
TERN_HOST_DEVICE double stirling_tail(double z) {
  return polynomial(z, 0.083333333333333332754, -0.0027777777777740988345,
                    0.00079365078983462879958, -0.00059523660687069730799,
                    0.00084147283747880812213, -0.0018905392002890547017, 0.005069231532183975499);
}

/// lgamma for a >= 0.
TERN_HOST_DEVICE double lgamma_positive(double a) {
  const bool is_large = a >= 8;
  // lgamma(a) is lgamma(2 + u) plus or minus the logarithm of a product.
  double t = is_large ? 2.0 : a, product = 1;
  for (int i = 0; i < 6; ++i) {
    const bool is_above = t > 2.5;
    t = is_above ? t - 1 : t;
    product = is_above ? product * t : product;
  }
  const bool is_below = t < 1.5, is_small = t < 0.5;
  const double u = is_small ? t : (is_below ? t - 1 : t - 2);
  product = is_below ? (is_small ? t * (t + 1) : t) : product;
  const double logarithm = log(is_large ? a : product);
  const double near_two = u * lgamma_near_two(u) + (is_below ? -logarithm : logarithm);
  const double inverse = 1 / a;
  constexpr double kRest = 0.418938533204672741780;  // (ln(2 pi) - 1) / 2
  const double large =
      mul_add(a - 0.5, logarithm - 1, kRest) + inverse * stirling_tail(inverse * inverse);
  return is_large ? large : near_two;
}

/// For x < 0, ln |gamma(x)| = -ln(|x sin(pi x)| / pi) - lgamma(-x).
TERN_HOST_DEVICE double lgamma(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double a = abs(x);
  const double positive = lgamma_positive(a);
  const double sine = abs(sin_pi_over_pi(a - round_even(a)));
  const double y = x < -1e-17 ? -log(a * sine) - positive : positive;
  if ((x < 0 && sine == 0) || a == kInfinity) return kInfinity;
  return y;
}
TERN_HOST_DEVICE float lgamma(float x) {
  return static_cast<float>(lgamma(static_cast<double>(x)));
}

/// Abramowitz and Stegun 6.3.5 (recurrence), 6.3.7 (reflection) and 6.3.18 (series).
TERN_HOST_DEVICE_CALL double digamma(double x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kPi = 3.141592653589793238463;
  if (x == 0) return copysign(kInfinity, -x);
  double y = x, sum = 0;
  if (x < 0) {
    const double r = x - round_even(x);
    if (!(r != 0)) return std::numeric_limits<double>::quiet_NaN();  // a pole, or -infinity
    // pi cot(pi r) from sines of at most a quarter turn.
    const double cosine = sin_pi_over_pi(0.5 - abs(r));
    sum = -cosine / sin_pi_over_pi(r) * kPi;
    y = 1 - x;
  }
  // sum of 1 / (y + i) as one fraction.
  double numerator = 0, denominator = 1;
  while (y < 10) {
    numerator = numerator * y + denominator;
    denominator *= y;
    y += 1;
  }
  const double inverse = 1 / y, z = inverse * inverse;
  const double tail = polynomial(z, 1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132,
                                 -691.0 / 32760, 1.0 / 12);
  return (sum - numerator / denominator) + (log(y) - 0.5 * inverse - z * tail);
}
TERN_HOST_DEVICE float digamma(float x) {
  return static_cast<float>(digamma(static_cast<double>(x)));
}

/// x^n for n >= 0.
TERN_HOST_DEVICE double whole_power(double x, int n) {
  double result = 1;
  for (; n > 0; n >>= 1, x *= x) {
    if ((n & 1) != 0) result *= x;
  }
  return result;
}

/// The sum of (x + i)^-s over i = 0, 1, .. for x > 0 and s > 1, by the formula of Euler and
/// Maclaurin (Abramowitz and Stegun 23.1.30). `power_of` returns x^-s.
template <class Exponent, class Power>
TERN_HOST_DEVICE double hurwitz_zeta(Exponent s, double x, Power power_of) {
  double sum = 0;
  while (x < 8 + 0.5 * s) {
    const double term = power_of(x, s);
    sum += term;
    if (term <= 1e-19 * sum) return sum;
    x += 1;
  }
  const double power = power_of(x, s - 1), inverse = 1 / x, z = inverse * inverse;
  if (power == 0) return sum;
  // B2k / (2k)! for k = 1 to 8.
  constexpr double kFactors[] = {1.0 / 12,
                                 -1.0 / 720,
                                 1.0 / 30240,
                                 -1.0 / 1209600,
                                 1.0 / 47900160,
                                 -691.0 / 1307674368000.0,
                                 1.0 / 74724249600.0,
                                 -3617.0 / 10670622842880000.0};
  double tail = 0, rising = s * inverse;
  for (int k = 0; k < 8; ++k) {
    tail += kFactors[k] * rising;
    rising *= (s + 2.0 * k + 1) * (s + 2.0 * k + 2) * z;
  }
  return sum + power * (1.0 / (s - 1) + inverse * (0.5 + tail));
}

/// The same for an integer s.
TERN_HOST_DEVICE double hurwitz_zeta(int s, double x) {
  return hurwitz_zeta(
      s, x, [](double base, int n) { return 1 / (n == 2 ? base * base : whole_power(base, n)); });
}

/// The sum of (q + i)^-x over i = 0, 1, ..: infinity for x = 1 and for a q of 0, -1, .., NaN for
/// x < 1, and for a negative q unless x is a finite integer.
TERN_HOST_DEVICE_CALL double zeta(double x, double q) {
  if (x == 1) return std::numeric_limits<double>::infinity();
  if (!(x > 1)) return std::numeric_limits<double>::quiet_NaN();
  const auto power_of = [](double base, double s) { return pow(base, -s); };
  if (q > 0) return hurwitz_zeta(x, q, power_of);
  const double below = floor(q);
  if (q == below) return std::numeric_limits<double>::infinity();
  if (!(x == floor(x)) || x > 0x1p1000) return std::numeric_limits<double>::quiet_NaN();
  // The terms of negative numbers are differences of two sums.
  const double rest = q - below, to_next = below + 1 - q;  // 1 - rest would round
  const double negative = hurwitz_zeta(x, to_next, power_of) - hurwitz_zeta(x, 1 - q, power_of);
  const bool is_even = floor(0.5 * x) == 0.5 * x;
  return hurwitz_zeta(x, rest, power_of) + (is_even ? negative : -negative);
}
TERN_HOST_DEVICE float zeta(float x, float q) {
  return static_cast<float>(zeta(static_cast<double>(x), static_cast<double>(q)));
}

/// Derivative number `order` >= 1 of digamma: (-1)^(n + 1) n! times a sum of powers.
TERN_HOST_DEVICE_CALL double polygamma(double x, double order) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The factorial of a larger order is infinite.
  const int n = order < 171 ? static_cast<int>(order) : 171, s = n + 1;
  double factor = n % 2 == 0 ? -1 : 1;
  for (int i = 2; i <= n; ++i) factor *= i;
  if (x > 0) return x < kInfinity ? factor * hurwitz_zeta(s, x) : 0;
  const double below = floor(x), rest = x - below, to_next = below + 1 - x;
  if (rest == 0) return factor * kInfinity;
  if (!(rest > 0)) return std::numeric_limits<double>::quiet_NaN();
  // The terms of negative numbers are differences of two sums.
  const double negative = hurwitz_zeta(s, to_next) - hurwitz_zeta(s, 1 - x);
  return factor * (hurwitz_zeta(s, rest) + (n % 2 == 0 ? -negative : negative));
}
TERN_HOST_DEVICE float polygamma(float x, float order) {
  return static_cast<float>(polygamma(static_cast<double>(x), static_cast<double>(order)));
}

}  // namespace tern::kernels::math
