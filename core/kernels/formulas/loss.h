#pragma once

#include <tern/core/kernels/formulas/formula.h>

// Losses of one element, and gradients for which a fused kernel pays.

namespace tern::kernels::formulas {

/// The gradient of relu, from relu's result. A NaN result passes the gradient on.
struct relu_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return result <= 0 ? T(0) : gradient;
  }
};

struct sigmoid_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return gradient * (T(1) - result) * result;
  }
};

struct tanh_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return gradient * (T(1) - result * result);
  }
};

/// -(t log x + (1 - t) log(1 - x)), with both logarithms clamped to at least -100.
struct bce : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target) {
    const T log_x = math::at_least(math::log(x), T(-100));
    const T log_rest = math::at_least(math::log1p(-x), T(-100));
    return (target - T(1)) * log_rest - target * log_x;
  }

  /// Probabilities except for denormals.
  template <class T>
  TERN_HOST_DEVICE static bool bounded(T x, T /*target*/) {
    return ((x == T(0)) | (x >= std::numeric_limits<T>::min())) & (x <= T(1));
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T x, T target) {
    const T log_x = math::at_least(x == T(0) ? T(-100) : math::log_of_normal(x), T(-100));
    const T log_rest = x == T(1) ? T(-100) : math::log1p_finite(-x);
    return (target - T(1)) * log_rest - target * log_x;
  }
};

/// Binary cross-entropy from logits: (1 - t) x + log(1 + e^-|x|) + max(-x, 0).
struct bce_logits : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target) {
    const T tail = math::log1p(math::exp_of_negative(-math::abs(x)));
    return (T(1) - target) * x + (tail + (x < 0 ? -x : T(0)));
  }
};

/// d^2 / 2 for a distance d up to delta, else the tangent delta (d - delta / 2).
struct huber : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target, T delta) {
    const T d = math::abs(x - target);
    return d <= delta ? T(0.5) * d * d : delta * (d - T(0.5) * delta);
  }
};

/// d^2 / (2 beta) for a distance d below beta, else d - beta / 2.
struct smooth_l1 : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target, T beta) {
    const T d = math::abs(x - target);
    return d < beta ? T(0.5) * d * d / beta : d - T(0.5) * beta;
  }
};

/// gradient * (x - target), where the difference is clamped to +-delta. NaN stays.
struct huber_backward : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target, T gradient, T delta) {
    const T d = x - target;
    return gradient * (d > delta ? delta : d < -delta ? -delta : d);
  }
};

struct bce_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target, T gradient) {
    return gradient * (x - target) / math::at_least((T(1) - x) * x, T(1e-12));
  }
};

}  // namespace tern::kernels::formulas
