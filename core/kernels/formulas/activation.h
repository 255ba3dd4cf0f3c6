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

struct hardswish : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a * math::at_most(math::at_least(a + T(3), T(0)), T(6)) / T(6);
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

struct gelu_tanh : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    constexpr T kFactor = static_cast<T>(0.797884560802865355880);  // sqrt(2 / pi)
    const T inner = kFactor * a * (T(1) + static_cast<T>(0.044715) * a * a);
    return T(0.5) * a * (T(1) + math::tanh(inner));
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
