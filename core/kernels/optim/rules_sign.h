#pragma once

#include <tern/core/kernels/optim/helpers.h>

// Rules that use the sign of the gradient, and ASGD. formulas.h says what a rule is.

namespace tern::kernels {

/// Returns 1, 0 or -1, and NaN for NaN.
template <class T>
TERN_HOST_DEVICE T sign_of(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;
}

/// Rprop:
///   f = eta_plus where g * previous > 0, eta_minus where it is < 0, 1 elsewhere
///   s = clamp(s * f, lowest, highest)
///   g = 0 where f = eta_minus
///   p -= sign(g) * s;  previous = g
struct RpropRule : PlainRule</*states=*/2> {
  static constexpr const char* kName = "Rprop";
  struct Numbers {
    double eta_minus, eta_plus, lowest, highest;
  };

  template <class T>
  struct Constants {
    T eta_minus, eta_plus, lowest, highest;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double /*lr*/,
                                                 const double* /*step_numbers*/) {
    return {static_cast<T>(n.eta_minus), static_cast<T>(n.eta_plus), static_cast<T>(n.lowest),
            static_cast<T>(n.highest)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& previous,
                                 T& step_size) {
    if ((form & kMaximize) != 0) g = -g;
    const T product = g * previous;
    const T scaled = step_size * (product > 0 ? c.eta_plus : product < 0 ? c.eta_minus : T(1));
    step_size = scaled < c.lowest ? c.lowest : scaled > c.highest ? c.highest : scaled;
    previous = product < 0 ? T(0) : g;
    return math::fma(-sign_of(previous), step_size, x);
  }
};

/// Lion:
///   p *= 1 - lr * weight_decay
///   p -= lr * sign(beta1 * m + (1 - beta1) * g)
///   m = beta2 * m + (1 - beta2) * g
struct LionRule : PlainRule</*states=*/1> {
  static constexpr const char* kName = "Lion";
  struct Numbers {
    double beta1, beta2, weight_decay;
  };

  template <class T>
  struct Constants {
    T lr, shrink, beta1, weight1, beta2, weight2;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* /*step_numbers*/) {
    return {static_cast<T>(-lr),     static_cast<T>(1 - lr * n.weight_decay),
            static_cast<T>(n.beta1), static_cast<T>(1 - n.beta1),
            static_cast<T>(n.beta2), static_cast<T>(1 - n.beta2)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& exp_avg) {
    if ((form & kMaximize) != 0) g = -g;
    const T direction = sign_of(math::fma(c.weight1, g, c.beta1 * exp_avg));
    exp_avg = math::fma(c.weight2, g, c.beta2 * exp_avg);
    return math::fma(c.lr, direction, x * c.shrink);
  }
};

/// ASGD:
///   g += weight_decay * p
///   p = shrink * p - eta * g
///   a += (p - a) * mu
/// The optimizer computes eta, mu and shrink = 1 - lambd * eta, which change from step to step.
struct AsgdRule : PlainRule</*states=*/1> {
  static constexpr const char* kName = "ASGD";
  struct Numbers {
    double weight_decay, shrink, eta, mu;
  };

  template <class T>
  struct Constants {
    T decay, shrink, eta, mu;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double /*lr*/,
                                                 const double* /*step_numbers*/) {
    return {static_cast<T>(n.weight_decay), static_cast<T>(n.shrink), static_cast<T>(-n.eta),
            static_cast<T>(n.mu)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& average) {
    if ((form & kMaximize) != 0) g = -g;
    g = math::fma(c.decay, x, g);
    x = math::fma(c.eta, g, x * c.shrink);
    average = c.mu == 1 ? x : average + (x - average) * c.mu;
    return x;
  }
};

using SignRules = OptimRuleList<AsgdRule, RpropRule, LionRule>;

}  // namespace tern::kernels
