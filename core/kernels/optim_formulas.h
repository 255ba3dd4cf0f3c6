#pragma once

#include <limits>

#include <tern/core/kernels/families/optim.h>
#include <tern/core/kernels/formulas_binary.h>

// One element of an optimizer's step, by the order of operations that AdamArgs and SgdArgs give.
// `form` is a constant where a loop must not branch.

namespace tern::kernels {

/// What a step does beyond the plain one; a set of these is a form.
enum AdamForm : unsigned { kDecay = 1, kDecoupled = 2, kMaximize = 4, kAmsgrad = 8, kFarLerp = 16 };
constexpr unsigned kAdamForms = 32;

/// The numbers of one Adam step, rounded to the dtype as PyTorch does.
template <class T>
struct AdamNumbers {
  T decay, shrink, weight, rest, beta2, square_weight, bias, inverse_bias, eps, step;
};

/// lr and the corrections come from the host's `a`, or from a device.
template <class T>
TERN_HOST_DEVICE AdamNumbers<T> adam_numbers(const AdamArgs& a, double lr, double bias_correction1,
                                             double bias_correction2_sqrt) {
  const T weight = static_cast<T>(1 - a.beta1), bias = static_cast<T>(bias_correction2_sqrt);
  return {static_cast<T>(a.weight_decay),
          static_cast<T>(1 - lr * a.weight_decay),
          weight,
          T(1) - weight,
          static_cast<T>(a.beta2),
          static_cast<T>(1 - a.beta2),
          bias,
          T(1) / bias,
          static_cast<T>(a.eps),
          static_cast<T>(-(lr / bias_correction1))};
}
template <class T>
AdamNumbers<T> adam_numbers(const AdamArgs& a) {
  return adam_numbers<T>(a, a.lr, a.bias_correction1, a.bias_correction2_sqrt);
}

template <class T>
unsigned adam_form(const AdamArgs& a) {
  return (a.weight_decay != 0 ? kDecay : 0U) | (a.decoupled != 0 ? kDecoupled : 0U) |
         (a.maximize != 0 ? kMaximize : 0U) | (a.amsgrad != 0 ? kAmsgrad : 0U) |
         (static_cast<T>(1 - a.beta1) < T(0.5) ? 0U : kFarLerp);
}

/// a / b, correctly rounded, where `inverse` is 1 / b: three multiplications instead of a division
/// (Markstein, IBM J. Res. Dev. 34, 1990). a is not denormal.
template <class T>
TERN_HOST_DEVICE T divide(T a, T b, [[maybe_unused]] T inverse) {
#ifdef __FMA__
  const T near = a * inverse;
  const T exact = math::fma(math::fma(-near, b, a), inverse, near);
  return near == std::numeric_limits<T>::infinity() ? near : exact;
#else
  return a / b;
#endif
}

/// Updates the moments and returns the new parameter. `top` counts with kAmsgrad only.
template <class T>
TERN_HOST_DEVICE T adam_element(unsigned form, const AdamNumbers<T>& c, T x, T g, T& m, T& v,
                                T& top) {
  if ((form & kMaximize) != 0) g = -g;
  if ((form & kDecay) != 0) {
    if ((form & kDecoupled) != 0) {
      x *= c.shrink;
    } else {
      g = math::fma(c.decay, x, g);
    }
  }
  // PyTorch's lerp starts from the nearer end.
  const T difference = g - m;
  m = (form & kFarLerp) != 0 ? math::fma(-difference, c.rest, g)
                             : math::fma(c.weight, difference, m);
  v = math::fma(c.square_weight * g, g, c.beta2 * v);
  T second = v;
  if ((form & kAmsgrad) != 0) {
    second = formulas::maximum::value(top, second);
    top = second;
  }
  return x + c.step * m / (divide(math::sqrt(second), c.bias, c.inverse_bias) + c.eps);
}

enum SgdForm : unsigned {
  kSgdDecay = 1,
  kSgdMaximize = 2,
  kMomentum = 4,
  kNesterov = 8,
  kFirst = 16
};
constexpr unsigned kSgdForms = 32;

/// The same for SGD.
template <class T>
struct SgdNumbers {
  T lr, momentum, undamped, decay;
};

template <class T>
TERN_HOST_DEVICE SgdNumbers<T> sgd_numbers(const SgdArgs& a, double lr) {
  return {static_cast<T>(-lr), static_cast<T>(a.momentum), static_cast<T>(1 - a.dampening),
          static_cast<T>(a.weight_decay)};
}

/// The form of the step for tensor t.
TERN_HOST_DEVICE unsigned sgd_form(const SgdArgs& a, int t) {
  return (a.weight_decay != 0 ? kSgdDecay : 0U) | (a.maximize != 0 ? kSgdMaximize : 0U) |
         (a.nesterov != 0 ? kNesterov : 0U) | (a.momentum_buffer[t] != nullptr ? kMomentum : 0U) |
         (a.first[t] != 0 ? kFirst : 0U);
}

/// Updates the momentum and returns the new parameter. `buffer` counts with kMomentum only.
template <class T>
TERN_HOST_DEVICE T sgd_element(unsigned form, const SgdNumbers<T>& c, T x, T g, T& buffer) {
  if ((form & kSgdMaximize) != 0) g = -g;
  if ((form & kSgdDecay) != 0) g = math::fma(c.decay, x, g);
  if ((form & kMomentum) != 0) {
    T b = g;
    if ((form & kFirst) == 0) b = math::fma(c.undamped, g, c.momentum * buffer);
    buffer = b;
    g = (form & kNesterov) != 0 ? math::fma(c.momentum, b, g) : b;
  }
  return math::fma(c.lr, g, x);
}

}  // namespace tern::kernels
