#include <tern/backends/sim/kernels/special.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tern::sim {
namespace {

using Real = long double;

constexpr Real kPi = 3.14159265358979323846264338327950288L;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The Bernoulli numbers B2, B4, ..
constexpr Real kBernoulli[] = {1.0L / 6,  -1.0L / 30,     1.0L / 42, -1.0L / 30,
                               5.0L / 66, -691.0L / 2730, 7.0L / 6,  -3617.0L / 510};

/// Returns sin(pi x) with an exact reduction of x.
Real sine_of_pi(Real x) {
  if (x < 0) return -sine_of_pi(-x);            // 2 - |x| would lose the digits of a small x
  const Real rest = x - 2 * std::floor(x / 2);  // in [0, 2)
  if (rest > 1) return -std::sin(kPi * (2 - rest > 0.5L ? rest - 1 : 2 - rest));
  return std::sin(kPi * (rest > 0.5L ? 1 - rest : rest));
}

/// Returns the sum of (x + k)^-s over k = 0, 1, .. for x > 0 and s > 1, by the formula of Euler and
/// Maclaurin (Abramowitz and Stegun 23.1.30) from a large x on.
Real zeta(Real s, Real x) {
  Real sum = 0;
  while (x < 20 + s) {
    const Real term = std::pow(x, -s);
    sum += term;
    if (term <= 1e-25L * sum) return sum;
    x += 1;
  }
  sum += std::pow(x, 1 - s) / (s - 1) + std::pow(x, -s) / 2;
  Real factor = s / 2, power = std::pow(x, -s - 1);
  Real index = 1;
  for (Real number : kBernoulli) {
    sum += number * factor * power;
    factor *= (s + index) * (s + index + 1) / ((index + 2) * (index + 3));
    power /= x * x;
    index += 2;
  }
  return sum;
}

/// Returns e^(x^2) (1 - erf(x)) for x >= 0, by its asymptotic series for a large x.
Real scaled_error_function_of(Real x) {
  if (x < 26) return std::exp(x * x) * std::erfc(x);
  Real sum = 0, term = 1;
  for (int i = 1; i < 12; ++i) {
    sum += term;
    term *= (1 - 2 * i) / (2 * x * x);
  }
  return sum / (x * std::sqrt(kPi));
}

/// Returns x^a e^-x / gamma(a + 1).
Real gamma_density(Real a, Real x) { return std::exp(a * std::log(x) - x - log_gamma(a + 1)); }

/// Returns P(a, x) by its power series.
Real gamma_series(Real a, Real x) {
  Real term = 1, sum = 1;
  for (Real n = a + 1; term > 1e-22L * sum; n += 1) {
    term *= x / n;
    sum += term;
  }
  return gamma_density(a, x) * sum;
}

/// Returns Q(a, x) by its continued fraction, from the convergents of a forward recurrence.
Real gamma_fraction(Real a, Real x) {
  Real b = x + 1 - a, c = 1e300L, d = 1 / b, product = d;
  for (int i = 1; i < 1000000; ++i) {
    const Real numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    product *= c * d;
    if (std::abs(c * d - 1) < 1e-19L) break;
  }
  return gamma_density(a, x) * a * product;
}

/// Returns Q(a, x) for x < 1 and a < 1 by the series of 1 - Q, which may be near 1.
Real gamma_upper_series(Real a, Real x) {
  const Real of_one =
      a < 1e-6L ? a * (0.82246703342411321824L * a - 0.57721566490153286061L) : log_gamma(a + 1);
  const Real logarithm = a * std::log(x) - of_one;
  Real term = 1, sum = 0;
  for (int n = 1; n < 30; ++n) {
    term *= -x / n;
    sum += term / (a + n);
  }
  return -std::expm1(logarithm) - std::exp(logarithm) * a * sum;
}

/// Returns P, or Q if `upper`.
Real incomplete_gamma(Real a, Real x, bool upper) {
  if (!(a >= 0) || !(x >= 0) || (a == x && (a == 0 || std::isinf(a)))) return kNaN;
  if (a == 0 || std::isinf(x)) return upper ? 0 : 1;
  if (x == 0 || std::isinf(a)) return upper ? 1 : 0;
  if (a > 1e20L) {  // the normal distribution
    const Real distance = (x - a) / std::sqrt(2 * a);
    return std::erfc(upper ? distance : -distance) / 2;
  }
  if (upper && x < 1 && a < 1) return gamma_upper_series(a, x);
  if (x < 1 || x < a) return upper ? 1 - gamma_series(a, x) : gamma_series(a, x);
  return upper ? gamma_fraction(a, x) : 1 - gamma_fraction(a, x);
}

}  // namespace

double scaled_error_function(double x) {
  if (std::isnan(x)) return x;
  if (x < 0) return static_cast<double>(std::exp(Real(x) * x) * std::erfc(Real(x)));
  return std::isinf(x) ? 0 : static_cast<double>(scaled_error_function_of(x));
}

double log_of_normal(double x) {
  const Real y = Real(x) * std::sqrt(0.5L);
  if (x == -kInfinity || std::isnan(x)) return x;
  if (x > -1) return static_cast<double>(std::log1p(-std::erfc(y) / 2));
  return static_cast<double>(std::log(scaled_error_function_of(-y) / 2) - y * y);
}

double quantile_of_normal(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  const Real tail = p < 0.5 ? Real(p) : 1 - Real(p);
  Real low = 0, high = 40;
  for (int i = 0; i < 90; ++i) {
    const Real middle = (low + high) / 2;
    (std::erfc(middle * std::sqrt(0.5L)) / 2 > tail ? low : high) = middle;
  }
  return static_cast<double>(p < 0.5 ? -low : low);
}

long double hurwitz_zeta(long double x, long double q) {
  if (x == 1) return Real(kInfinity);
  if (!(x > 1) || std::isnan(q)) return kNaN;
  if (q > 0) return zeta(x, q);
  if (q == std::floor(q)) return Real(kInfinity);
  if (x != std::floor(x) || x > 0x1p1000) return kNaN;
  const Real below = std::floor(Real(q)), rest = Real(q) - below;
  const Real negative = zeta(x, 1 - rest) - zeta(x, 1 - rest - below);
  return zeta(x, rest) + (std::fmod(x, 2) == 0 ? negative : -negative);
}

long double inverse_error_function(long double x) {
  if (!(std::abs(x) <= 1)) return kNaN;
  if (std::abs(x) == 1) return std::copysign(kInfinity, x);
  if (x == 0) return x;
  // Bisection, then Newton's method.
  const Real target = std::abs(Real(x)), rest = 1 - target;
  Real low = 0, high = 7;
  for (int i = 0; i < 64; ++i) {
    const Real middle = (low + high) / 2;
    (std::erfc(middle) > rest ? low : high) = middle;
  }
  Real y = low;
  for (int i = 0; i < 2; ++i) {
    const Real error = target < 0.5L ? std::erf(y) - target : rest - std::erfc(y);
    y -= error * std::sqrt(kPi) / 2 * std::exp(y * y);
  }
  return x < 0 ? -y : y;
}

long double log_gamma(long double x) {
  int sign = 0;  // std::lgamma would write to a global variable
  return lgammal_r(x, &sign);
}

long double digamma(long double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0 && (x == std::floor(x) || std::isinf(x))) return kNaN;
  Real y = x, sum = 0;
  if (x < 0) {
    const Real rest = y - std::floor(y);
    sum = -kPi / std::tan(kPi * rest);
    y = 1 - y;
  }
  while (y < 20) {
    sum -= 1 / y;
    y += 1;
  }
  sum += std::log(y) - 1 / (2 * y);
  Real power = 1 / (y * y);
  Real index = 2;
  for (Real number : kBernoulli) {
    sum -= number / index * power;
    power /= y * y;
    index += 2;
  }
  return sum;
}

double polygamma(double order, double x) {
  if (std::isnan(x) || x == -kInfinity) return kNaN;
  if (x == kInfinity) return order > 0 ? 0 : x;
  const Real s = Real(order) + 1;
  const bool is_even = std::fmod(order, 2) == 0;
  const Real factor = (is_even ? -1.0L : 1.0L) * std::tgamma(s);
  if (x <= 0 && x == std::floor(x)) return static_cast<double>(factor * Real(kInfinity));
  if (x > 0) return static_cast<double>(factor * zeta(s, x));
  // The terms with negative numbers, from x to the first positive one.
  const Real below = std::floor(Real(x)), rest = Real(x) - below;
  const Real negative = zeta(s, 1 - rest) - zeta(s, 1 - rest - below);
  return static_cast<double>(factor * (zeta(s, rest) + (is_even ? -negative : negative)));
}

long double bessel_i(int order, long double x, bool scaled) {
  const Real a = std::abs(x);
  if (std::isinf(a)) return scaled ? 0 : order == 0 ? a : x;
  if (std::isnan(a)) return x;
  Real sum = 0, scale = scaled ? std::exp(-a) : 1;
  if (a < 40) {  // the power series
    Real term = order == 0 ? 1 : x / 2;
    for (int k = 1; std::abs(term) > 1e-22L * std::abs(sum); ++k) {
      sum += term;
      term *= x * x / 4 / k / (k + order);
    }
    return scale * sum;
  }
  Real term = 1;  // Hankel's expansion (Abramowitz and Stegun 9.7.1)
  for (int k = 1; k < 30; ++k) {
    sum += term;
    const Real odd = 2 * k - 1;
    term *= -(4 * order * order - odd * odd) / (8 * a * k);
  }
  const Real value = (scaled ? 1 : std::exp(a)) * sum / std::sqrt(2 * kPi * a);
  return order == 1 && x < 0 ? -value : value;
}

long double lower_gamma(long double a, long double x) { return incomplete_gamma(a, x, false); }
long double upper_gamma(long double a, long double x) { return incomplete_gamma(a, x, true); }

long double sinc(long double x) {
  if (x == 0) return 1;
  if (std::isinf(x)) return kNaN;
  return sine_of_pi(x) / (kPi * x);
}

double logit(double x) {
  return static_cast<double>(x > 0.25 && x < 0.75 ? std::log1p((2 * Real(x) - 1) / (1 - Real(x)))
                                                  : std::log(Real(x) / (1 - Real(x))));
}

long double times_power_of_two(long double a, long double exponent) {
  if (std::isnan(exponent)) return exponent;
  return std::ldexp(a, static_cast<int>(std::clamp(exponent, -5000.0L, 5000.0L)));
}

double log_of_sum(double a, double b) {
  if (a == b) return a + std::log(2.0);  // the distance of equal infinities is NaN
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

Frexp frexp(double x) {
  if (!std::isfinite(x)) return {x, 0};
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  return {mantissa, static_cast<double>(exponent)};
}

}  // namespace tern::sim
