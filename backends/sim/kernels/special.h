#pragma once

namespace tern::sim {

// Special functions by naive formulas in long double.

double inverse_error_function(double x);
double log_gamma(double x);
double digamma(double x);
/// Returns derivative number `order` >= 1 of digamma(x).
double polygamma(double order, double x);
/// Returns sin(pi x) / (pi x).
double sinc(double x);
/// Returns ln(x / (1 - x)).
double logit(double x);

struct Frexp {
  double mantissa, exponent;
};
Frexp frexp(double x);

}  // namespace tern::sim
