#pragma once

#include <tern/core/kernels/math/error_function.h>
#include <tern/core/kernels/math/gamma.h>

// The regularized incomplete gamma functions P(a, x), the lower one, and Q(a, x) = 1 - P(a, x). All
// compute in double. Numbers of equations are those of NIST's Digital Library of Mathematical
// Functions (DLMF).

namespace tern::kernels::math {

/// mu - log(1 + mu) for 1 + mu = x / a, without cancellation where x is near a.
TERN_HOST_DEVICE double log_ratio_rest(double a, double x) {
  const double mu = (x - a) / a;
  if (!(abs(mu) < 0.5)) return mu - log(x / a);
  // log(1 + mu) is 2 artanh(s).
  const double s = mu / (2 + mu), z = s * s;
  double tail = 0;
  for (int k = 18; k > 0; --k) tail = (tail + 1.0 / (2 * k + 1)) * z;
  return s * (mu - 2 * tail);
}

/// x^a e^-x / gamma(a + 1) for a > 0 and x > 0.
TERN_HOST_DEVICE double gamma_density(double a, double x) {
  if (a < 8) return exp(a * log(x) - x - lgamma_positive(a + 1));
  // Stirling's formula leaves an exponent without large terms.
  constexpr double kInverseRootOfTwoPi = 0.398942280401432677940;
  const double inverse = 1 / a;
  return kInverseRootOfTwoPi / sqrt(a) *
         exp(-a * log_ratio_rest(a, x) - inverse * stirling_tail(inverse * inverse));
}

/// P(a, x) by its power series (8.7.1), for an x that is not much larger than a.
TERN_HOST_DEVICE double gamma_lower_series(double a, double x) {
  double term = 1, sum = 1;
  for (double n = a + 1; term > 1e-17 * sum; n += 1) {
    term *= x / n;
    sum += term;
  }
  return gamma_density(a, x) * sum;
}

/// Q(a, x) by the power series of 1 - Q (8.7.3), for x <= 1 and a small a.
TERN_HOST_DEVICE double gamma_upper_series(double a, double x) {
  double term = 1, sum = 0;
  for (int n = 1; n < 30; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  // The logarithm of x^a / gamma(a + 1), which is small if a is.
  const double near_one = a < 0.5 ? a * lgamma_near_two(a) - log1p(a) : lgamma_positive(a + 1);
  const double logarithm = a * log(x) - near_one;
  return -expm1(logarithm) - exp(logarithm) * a * sum;
}

/// Q(a, x) by its continued fraction (8.9.2), for an x that is larger than a, and larger than 1.
TERN_HOST_DEVICE double gamma_upper_fraction(double a, double x) {
  // The algorithm of Lentz: products of quotients of numerators and of denominators.
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, fraction = d;
  for (int i = 1; i < 2000; ++i) {
    const double factor = -i * (i - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    const double change = c * d;
    fraction *= change;
    if (abs(change - 1) < 2e-16) break;
  }
  return gamma_density(a, x) * a * fraction;
}

/// The sum of the series in Temme's uniform expansion (8.12.7): powers of eta and of 1 / a. The
/// coefficients are exact up to rounding.
TERN_HOST_DEVICE double gamma_uniform_sum(double eta, double inverse) {
  return polynomial(
      inverse,
      polynomial(eta, -0.33333333333333333333, 0.083333333333333333333, -0.014814814814814814815,
                 0.0011574074074074074074, 0.00035273368606701940035, -0.0001787551440329218107,
                 0.000039192631785224377817, -2.1854485106799921615e-6, -1.8540622107151599607e-6,
                 8.296711340953086005e-7, -1.7665952736826079304e-7, 6.7078535434014985804e-9,
                 1.0261809784240308043e-8, -4.3820360184533531866e-9, 9.1476995822367902342e-10),
      polynomial(eta, -0.0018518518518518518519, -0.0034722222222222222222,
                 0.0026455026455026455026, -0.00099022633744855967078, 0.00020576131687242798354,
                 -4.0187757201646090535e-7, -0.000018098550334489977837, 7.6491609160811100846e-6,
                 -1.6120900894563446004e-6, 4.6471278028074343423e-9, 1.3786334469157209593e-7,
                 -5.752545603517704964e-8, 1.1951628599778147324e-8),
      polynomial(eta, 0.0041335978835978835979, -0.0026813271604938271605,
                 0.00077160493827160493827, 2.0093878600823045267e-6, -0.00010736653226365160522,
                 0.000052923448829120125416, -0.000012760635188618727713, 3.4235787340961380742e-8,
                 1.3721957309062933206e-6, -6.2989921383800550229e-7, 1.4280614206064241792e-7),
      polynomial(eta, 0.00064943415637860082305, 0.00022947209362139917695,
                 -0.00046918949439525571213, 0.00026772063206283885296, -0.000075618016718839764107,
                 -2.3965051138672966519e-7, 0.000011082654115347302361, -5.6749528269915965675e-6,
                 1.4230900732435883915e-6),
      polynomial(eta, -0.0008618882909167116986, 0.00078403922172006662747,
                 -0.00029907248030319017973, -1.4638452578843418178e-6, 0.000066414982154651221867,
                 -0.000039683650471794346644, 0.000011375726970678419098),
      polynomial(eta, -0.00033679855336635815031, -0.000069728137583658577743,
                 0.00027727532449593920787, -0.000199325705161888477, 0.000067977804779372078388),
      polynomial(eta, 0.00053130793646399222317, -0.00059216643735369388286,
                 0.00027087820967180448277),
      polynomial(eta, 0.00034436760689237767125, 0.000051717909082605921934,
                 -0.00033493161081142236312),
      polynomial(eta, -0.00065262391859530941892, 0.00083949872067208727999));
}

/// P or Q by that expansion, for a large a and an x near a.
TERN_HOST_DEVICE double gamma_uniform(double a, double x, bool upper) {
  constexpr double kInverseRootOfTwoPi = 0.398942280401432677940;
  const double half_square = log_ratio_rest(a, x);
  const double eta = copysign(sqrt(2 * half_square), x - a);
  const double rest =
      exp(-a * half_square) * kInverseRootOfTwoPi / sqrt(a) * gamma_uniform_sum(eta, 1 / a);
  const double y = eta * sqrt(0.5 * a);
  return upper ? 0.5 * erfc(y) + rest : 0.5 * erfc(-y) - rest;
}

/// P(a, x) or Q(a, x): NaN for a negative number and for two zeros or infinities.
TERN_HOST_DEVICE_CALL double incomplete_gamma(double a, double x, bool upper) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(a >= 0) || !(x >= 0) || (a == x && (a == 0 || a == kInfinity))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (a == 0 || x == kInfinity) return upper ? 0 : 1;
  if (x == 0 || a == kInfinity) return upper ? 1 : 0;
  if (a > 64 && abs(x - a) < 0.25 * a) return gamma_uniform(a, x, upper);
  // One of the two is computed, the other one is its distance from 1. Near 1 that loses no digits.
  if (x > 1 && x > a) {
    const double q = gamma_upper_fraction(a, x);
    return upper ? q : 1 - q;
  }
  if (upper && x <= 1 && a < x + 0.1) return gamma_upper_series(a, x);
  const double p = gamma_lower_series(a, x);
  return upper ? 1 - p : p;
}

template <class T>
TERN_HOST_DEVICE T igamma(T a, T x) {
  return static_cast<T>(incomplete_gamma(a, x, /*upper=*/false));
}
template <class T>
TERN_HOST_DEVICE T igammac(T a, T x) {
  return static_cast<T>(incomplete_gamma(a, x, /*upper=*/true));
}

}  // namespace tern::kernels::math
