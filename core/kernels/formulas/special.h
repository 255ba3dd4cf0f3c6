#pragma once

#include <tern/core/kernels/formulas/formula.h>
#include <tern/core/kernels/math/bessel.h>
#include <tern/core/kernels/math/error_function.h>
#include <tern/core/kernels/math/exp_log.h>
#include <tern/core/kernels/math/gamma.h>
#include <tern/core/kernels/math/normal_distribution.h>

// Special functions, and the parts of a floating number.

namespace tern::kernels::formulas {

struct erfcx : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::erfcx(a);
  }
};

struct log_ndtr : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::log_ndtr(a);
  }
};

struct ndtri : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::ndtri(a);
  }
};

struct i0e : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::i0e(a);
  }
};

struct i1 : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::i1(a);
  }
};

struct i1e : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::i1e(a);
  }
};

/// -a log(a); 0 for 0, and -infinity for a negative a.
struct entr : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    const T y = -a * math::log(a);
    return a > 0 ? y : (a < 0 ? -std::numeric_limits<T>::infinity() : a);
  }
};

struct polygamma : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T order) {
    return math::polygamma(a, order);
  }
};

/// A negative `eps` limits nothing.
struct logit : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T eps) {
    const T high = T(1) - eps, limited = a < eps ? eps : (a > high ? high : a);
    return math::logit(eps < 0 ? a : limited);
  }
};

struct frac : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a - math::trunc(a);
  }
};

/// Rounds to multiples of 1 / factor, or of -factor if that is positive.
struct round_decimals : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T factor) {
    if (factor < 0) return math::round_even(a / -factor) * -factor;
    return math::round_even(a * factor) / factor;
  }
};

struct frexp_mantissa : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::frexp(a).mantissa;
  }
};

struct frexp_exponent : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::frexp(a).exponent;
  }
};

struct signbit : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a) {
    if constexpr (kFloating<T>) return (math::to_bits(a) >> (8 * sizeof(T) - 1)) != 0;
    if constexpr (kBoolean<T>) return false;
    return static_cast<std::int64_t>(a) < 0;
  }
};

struct nan_to_num : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T nan, T infinity, T negative_infinity) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const T finite = a == kInfinity ? infinity : (a == -kInfinity ? negative_infinity : a);
    return is_nan(a) ? nan : finite;
  }
};

}  // namespace tern::kernels::formulas
