#pragma once

namespace tern::sim {

// Special functions by naive formulas in long double.

double inverse_error_function(double x);
double log_gamma(double x);
double digamma(double x);
/// Returns e^(x^2) (1 - erf(x)).
double scaled_error_function(double x);
/// Returns the logarithm of the probability that a number of the standard normal distribution is
/// below x.
double log_of_normal(double x);
/// Returns the number below which a number of that distribution lies with probability p.
double quantile_of_normal(double p);
/// Returns the sum of (q + k)^-x over k = 0, 1, ..
double hurwitz_zeta(double x, double q);
/// Returns derivative number `order` >= 1 of digamma(x).
double polygamma(double order, double x);
/// Returns sin(pi x) / (pi x).
double sinc(double x);
/// Returns ln(x / (1 - x)).
double logit(double x);

/// Returns log(e^a + e^b).
double log_of_sum(double a, double b);

struct Frexp {
  double mantissa, exponent;
};
Frexp frexp(double x);

}  // namespace tern::sim
