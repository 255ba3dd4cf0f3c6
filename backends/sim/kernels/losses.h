#pragma once

#include <cmath>

// Losses of one element and their gradients, as in textbooks.

namespace tern::sim {

/// Returns x, but at least the bound. NaN stays.
inline double at_least(double x, double bound) { return x < bound ? bound : x; }

inline double binary_cross_entropy(double x, double target) {
  const double log_x = at_least(std::log(x), -100), log_rest = at_least(std::log1p(-x), -100);
  return -(target * log_x + (1 - target) * log_rest);
}

inline double binary_cross_entropy_backward(double x, double target, double grad) {
  return grad * (x - target) / at_least(x * (1 - x), 1e-12);
}

inline double binary_cross_entropy_with_logits(double x, double target) {
  return (1 - target) * x + std::log1p(std::exp(-std::abs(x))) + at_least(-x, 0);
}

inline double huber(double x, double target, double delta) {
  const double d = std::abs(x - target);
  return d > delta ? delta * (d - delta / 2) : d * d / 2;
}

inline double smooth_l1(double x, double target, double beta) {
  const double d = std::abs(x - target);
  return d >= beta ? d - beta / 2 : d * d / (2 * beta);
}

inline double huber_backward(double x, double target, double grad, double delta) {
  const double d = x - target;
  return grad * (std::abs(d) > delta ? std::copysign(delta, d) : d);
}

}  // namespace tern::sim
