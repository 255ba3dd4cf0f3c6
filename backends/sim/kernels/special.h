#pragma once

namespace tern::sim {

// Special functions by naive formulas in long double.

long double inverse_error_function(long double x);
long double log_gamma(long double x);
long double digamma(long double x);
/// Returns e^(x^2) (1 - erf(x)).
double scaled_error_function(double x);
/// Returns the logarithm of the probability that a number of the standard normal distribution is
/// below x.
double log_of_normal(double x);
/// Returns the number below which a number of that distribution lies with probability p.
double quantile_of_normal(double p);
/// Returns the sum of (q + k)^-x over k = 0, 1, ..
long double hurwitz_zeta(long double x, long double q);
/// Returns derivative number `order` >= 1 of digamma(x).
double polygamma(double order, double x);
/// Returns the modified Bessel function of the first kind of order 0 or 1, times e^-|x| if
/// `scaled`.
long double bessel_i(int order, long double x, bool scaled = false);
/// Return the regularized incomplete gamma functions P(a, x) and Q(a, x).
long double lower_gamma(long double a, long double x);
long double upper_gamma(long double a, long double x);
/// Returns sin(pi x) / (pi x).
long double sinc(long double x);
/// Returns ln(x / (1 - x)).
double logit(double x);

/// Returns a 2^exponent for an integer exponent.
long double times_power_of_two(long double a, long double exponent);

/// Returns log(e^a + e^b).
double log_of_sum(double a, double b);

struct Frexp {
  double mantissa, exponent;
};
Frexp frexp(double x);

}  // namespace tern::sim
