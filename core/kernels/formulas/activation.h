#pragma once

#include <tern/core/kernels/formulas/formula.h>
#include <tern/core/kernels/math/error_function.h>
#include <tern/core/kernels/math/math.h>

// Activations. NaN gives NaN.

namespace tern::kernels::formulas {

struct threshold : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T threshold, T replacement) {
    return a <= threshold ? replacement : a;
  }
};

struct hardsigmoid : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::at_most(math::at_least(a + T(3), T(0)), T(6)) / T(6);
  }
};

struct hardsigmoid_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a) {
    return math::abs(a) < T(3) ? gradient * T(1.0F / 6.0F) : T(0);  // a float, as in PyTorch
  }
};

struct hardswish : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a * math::at_most(math::at_least(a + T(3), T(0)), T(6)) / T(6);
  }
};

struct hardswish_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a) {
    const T below = a <= T(-3) ? T(0) : gradient;
    return math::abs(a) < T(3) ? gradient * (a / T(3) + T(0.5)) : below;
  }
};

/// A number where |a| <= bound becomes 0.
struct hardshrink : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T bound) {
    return math::abs(a) <= bound ? T(0) : a;
  }
};

struct softshrink : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T bound) {
    const T below = a < -bound ? a + bound : a * T(0);
    return a > bound ? a - bound : below;
  }
};

struct leaky_relu : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T slope) {
    return a > 0 ? a : a * slope;
  }
};

struct leaky_relu_backward : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a, T slope) {
    return a > 0 ? gradient : gradient * slope;
  }
};

struct prelu : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T weight) {
    return a > 0 ? a : a * weight;
  }
};

struct elu : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T negative, T positive, T exponent) {
    return a > 0 ? a * positive : math::expm1(a * exponent) * negative;
  }
};

struct silu : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a * math::sigmoid(a);
  }
};

struct silu_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a) {
    const T s = math::sigmoid(a);
    return gradient * s * (T(1) + a * (T(1) - s));
  }
};

/// tanh(ln(1 + e)) is n / (n + 2), where n = e (e + 2) and e = e^a.
struct mish : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    const T e = math::exp(math::at_most(a, T(20)));
    const T n = e * (e + T(2));
    return a * (n / (n + T(2)));
  }
};

struct gelu : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    constexpr T kSqrtHalf = static_cast<T>(0.707106781186547524401);
    return T(0.5) * a * (T(1) + math::erf(a * kSqrtHalf));
  }
};

/// The normal distribution function plus a times its density.
struct gelu_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a) {
    constexpr T kSqrtHalf = static_cast<T>(0.707106781186547524401);
    constexpr T kDensity = static_cast<T>(0.398942280401432677940);  // 1 / sqrt(2 pi)
    const T distribution = T(0.5) * (T(1) + math::erf(a * kSqrtHalf));
    const T density = kDensity * math::exp_of_negative(T(-0.5) * a * a);
    return gradient * (distribution + a * density);
  }
};

struct gelu_tanh : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return T(0.5) * a * (T(1) + math::tanh(inner(a)));
  }

  template <class T>
  TERN_HOST_DEVICE static T inner(T a) {
    return kFactor<T> * a * (T(1) + kCubic<T> * a * a);
  }
  template <class T>
  static constexpr T kFactor = static_cast<T>(0.797884560802865355880);  // sqrt(2 / pi)
  template <class T>
  static constexpr T kCubic = static_cast<T>(0.044715);
};

struct gelu_tanh_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T a) {
    const T t = math::tanh(gelu_tanh::inner(a));
    const T slope = gelu_tanh::kFactor<T> * (T(1) + T(3) * gelu_tanh::kCubic<T> * a * a);
    return gradient * T(0.5) * (T(1) + t + a * (T(1) - t * t) * slope);
  }
};

/// Computes min(a, 0) - ln(1 + e^-|a|).
struct log_sigmoid : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::at_most(a, T(0)) - math::log1p_finite(math::exp_of_negative(-math::abs(a)));
  }
};

}  // namespace tern::kernels::formulas
