#pragma once

#include <cmath>

#include <tern/core/kernels/formulas/binary.h>
#include <tern/core/kernels/optim/helpers.h>

// Rules that divide by averages of past gradients. formulas.h says what a rule is.

namespace tern::kernels {

/// Adagrad:
///   g += weight_decay * p
///   s += g * g
///   p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
struct AdagradRule : PlainRule</*states=*/1> {
  static constexpr const char* kName = "Adagrad";
  struct Numbers {
    double lr_decay, eps, weight_decay;
  };

  static constexpr int kStepNumbers = 1;
  TERN_HOST_DEVICE static double step_number(int /*k*/, const Numbers& n, double t) {
    return 1 + (t - 1) * n.lr_decay;
  }

  template <class T>
  struct Constants {
    T step, eps, decay;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* step_numbers) {
    return {static_cast<T>(-(lr / step_numbers[0])), static_cast<T>(n.eps),
            static_cast<T>(n.weight_decay)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& sum) {
    if ((form & kMaximize) != 0) g = -g;
    g = math::fma(c.decay, x, g);
    sum = math::fma(g, g, sum);
    return x + c.step * g / (math::sqrt(sum) + c.eps);
  }
};

/// Adadelta:
///   g += weight_decay * p
///   v = rho * v + (1 - rho) * g * g
///   d = sqrt(u + eps) / sqrt(v + eps) * g
///   u = rho * u + (1 - rho) * d * d
///   p -= lr * d
struct AdadeltaRule : PlainRule</*states=*/2> {
  static constexpr const char* kName = "Adadelta";
  struct Numbers {
    double rho, eps, weight_decay;
  };

  template <class T>
  struct Constants {
    T lr, rho, weight, eps, decay;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* /*step_numbers*/) {
    return {static_cast<T>(-lr), static_cast<T>(n.rho), static_cast<T>(1 - n.rho),
            static_cast<T>(n.eps), static_cast<T>(n.weight_decay)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& square_avg,
                                 T& acc_delta) {
    if ((form & kMaximize) != 0) g = -g;
    g = math::fma(c.decay, x, g);
    square_avg = math::fma(c.weight * g, g, c.rho * square_avg);
    const T delta = math::sqrt(acc_delta + c.eps) / math::sqrt(square_avg + c.eps) * g;
    acc_delta = math::fma(c.weight * delta, delta, c.rho * acc_delta);
    return math::fma(c.lr, delta, x);
  }
};

/// Adamax:
///   g += weight_decay * p
///   m += (1 - beta1) * (g - m);  u = max(beta2 * u, |g| + eps)
///   p -= lr / (1 - beta1^t) * m / u
struct AdamaxRule : PlainRule</*states=*/2> {
  static constexpr const char* kName = "Adamax";
  struct Numbers {
    double beta1, beta2, eps, weight_decay;
  };

  static constexpr int kStepNumbers = 1;
  TERN_HOST_DEVICE static double step_number(int /*k*/, const Numbers& n, double t) {
    return 1 - std::pow(n.beta1, t);
  }

  template <class T>
  struct Constants {
    T step, weight, beta2, eps, decay;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* step_numbers) {
    return {static_cast<T>(-(lr / step_numbers[0])), static_cast<T>(1 - n.beta1),
            static_cast<T>(n.beta2), static_cast<T>(n.eps), static_cast<T>(n.weight_decay)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& exp_avg,
                                 T& exp_inf) {
    if ((form & kMaximize) != 0) g = -g;
    g = math::fma(c.decay, x, g);
    exp_avg = move_average(exp_avg, g, c.weight);
    exp_inf = formulas::maximum::value(c.beta2 * exp_inf, math::abs(g) + c.eps);
    return x + c.step * exp_avg / exp_inf;
  }
};

/// NAdam:
///   g += weight_decay * p, or with kDecoupled p *= 1 - lr * weight_decay
///   m += (1 - beta1) * (g - m);  v = beta2 * v + (1 - beta2) * g * g
///   d = sqrt(v / (1 - beta2^t)) + eps
///   p -= lr * grad_share * g / d + lr * mean_share * m / d
/// The optimizer computes both shares from the product of all momenta so far.
struct NadamRule : PlainRule</*states=*/2> {
  static constexpr const char* kName = "NAdam";
  struct Numbers {
    double beta1, beta2, eps, weight_decay, grad_share, mean_share;
  };
  enum Form : unsigned { kMaximize = 1, kDecoupled = 2 };
  static constexpr unsigned kForms = 4;

  static constexpr int kStepNumbers = 1;
  TERN_HOST_DEVICE static double step_number(int /*k*/, const Numbers& n, double t) {
    return 1 - std::pow(n.beta2, t);
  }

  template <class T>
  struct Constants {
    T decay, shrink, weight, beta2, square_weight, bias, inverse_bias, eps, grad_step, mean_step;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* step_numbers) {
    const T bias = static_cast<T>(step_numbers[0]);
    return {static_cast<T>(n.weight_decay),
            static_cast<T>(1 - lr * n.weight_decay),
            static_cast<T>(1 - n.beta1),
            static_cast<T>(n.beta2),
            static_cast<T>(1 - n.beta2),
            bias,
            T(1) / bias,
            static_cast<T>(n.eps),
            static_cast<T>(-lr * n.grad_share),
            static_cast<T>(-lr * n.mean_share)};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& exp_avg,
                                 T& exp_avg_sq) {
    if ((form & kMaximize) != 0) g = -g;
    if ((form & kDecoupled) != 0) {
      x *= c.shrink;
    } else {
      g = math::fma(c.decay, x, g);
    }
    exp_avg = move_average(exp_avg, g, c.weight);
    exp_avg_sq = math::fma(c.square_weight * g, g, c.beta2 * exp_avg_sq);
    const T deviation = math::sqrt(divide(exp_avg_sq, c.bias, c.inverse_bias)) + c.eps;
    x = x + c.grad_step * g / deviation;
    return x + c.mean_step * exp_avg / deviation;
  }
};

/// RAdam:
///   g += weight_decay * p, or with kDecoupled p *= 1 - lr * weight_decay
///   m += (1 - beta1) * (g - m);  v = beta2 * v + (1 - beta2) * g * g
///   p -= lr * m / (1 - beta1^t) * sqrt(1 - beta2^t) / (sqrt(v) + eps) * r
/// The rectification r depends on the number of the step. In the first steps, where the variance of
/// v is not known, p -= lr * m / (1 - beta1^t).
struct RadamRule : PlainRule</*states=*/2> {
  static constexpr const char* kName = "RAdam";
  struct Numbers {
    double beta1, beta2, eps, weight_decay;
  };
  enum Form : unsigned { kMaximize = 1, kDecoupled = 2 };
  static constexpr unsigned kForms = 4;

  /// 1 - beta1^t, sqrt(1 - beta2^t), and r, or 0 in the first steps.
  static constexpr int kStepNumbers = 3;
  TERN_HOST_DEVICE static double step_number(int k, const Numbers& n, double t) {
    if (k == 0) return 1 - std::pow(n.beta1, t);
    const double power = std::pow(n.beta2, t);
    if (k == 1) return std::sqrt(1 - power);
    const double last = 2 / (1 - n.beta2) - 1;
    const double now = last - 2 * t * power / (1 - power);
    if (!(now > 5)) return 0;
    return std::sqrt((now - 4) * (now - 2) * last / ((last - 4) * (last - 2) * now));
  }

  template <class T>
  struct Constants {
    T decay, shrink, weight, beta2, square_weight, bias, inverse_bias, lr, root, eps, rectification;
  };
  template <class T>
  TERN_HOST_DEVICE static Constants<T> constants(const Numbers& n, double lr,
                                                 const double* step_numbers) {
    const T bias = static_cast<T>(step_numbers[0]);
    return {static_cast<T>(n.weight_decay),
            static_cast<T>(1 - lr * n.weight_decay),
            static_cast<T>(1 - n.beta1),
            static_cast<T>(n.beta2),
            static_cast<T>(1 - n.beta2),
            bias,
            T(1) / bias,
            static_cast<T>(lr),
            static_cast<T>(step_numbers[1]),
            static_cast<T>(n.eps),
            static_cast<T>(step_numbers[2])};
  }

  template <class T>
  TERN_HOST_DEVICE static T step(unsigned form, const Constants<T>& c, T x, T g, T& exp_avg,
                                 T& exp_avg_sq) {
    if ((form & kMaximize) != 0) g = -g;
    if ((form & kDecoupled) != 0) {
      x *= c.shrink;
    } else {
      g = math::fma(c.decay, x, g);
    }
    exp_avg = move_average(exp_avg, g, c.weight);
    exp_avg_sq = math::fma(c.square_weight * g, g, c.beta2 * exp_avg_sq);
    const T change = divide(exp_avg, c.bias, c.inverse_bias) * c.lr;
    const T adapted = change * (T(1) / (math::sqrt(exp_avg_sq) + c.eps) * c.root) * c.rectification;
    return x - (c.rectification == 0 ? change : adapted);
  }
};

using AdaptiveRules = OptimRuleList<AdagradRule, AdadeltaRule, AdamaxRule, NadamRule, RadamRule>;

}  // namespace tern::kernels
