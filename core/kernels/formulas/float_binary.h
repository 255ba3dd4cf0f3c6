#pragma once

#include <tern/core/kernels/formulas/binary.h>
#include <tern/core/kernels/math/binary.h>

// Functions of two inputs that are not arithmetic.

namespace tern::kernels::formulas {

/// 0 for negative a, b for a zero, 1 for positive a; 0 for NaN.
struct heaviside : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a == 0 ? b : static_cast<T>(a > 0);
  }
};

/// The larger number; NaN only if both inputs are NaN.
struct fmax : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return ((b > a) | is_nan(a)) ? b : a;
  }
};

/// The smaller number; NaN only if both inputs are NaN.
struct fmin : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return ((b < a) | is_nan(a)) ? b : a;
  }
};

/// log(e^a + e^b), as the larger input plus a small term. Equal infinities have no distance.
struct logaddexp : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T larger = maximum::value(a, b);
    const T distance = a == b ? T(0) : math::abs(a - b);
    return larger + math::log_of_exp_and_one(distance);
  }
};

/// log2(2^a + 2^b).
struct logaddexp2 : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T larger = maximum::value(a, b);
    const T distance = a == b ? T(0) : math::abs(a - b);
    return larger + math::log2_of_exp2_and_one(distance);
  }
};

/// a log(b); 0 for a zero a unless b is NaN.
struct xlogy : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T y = a * math::log(b);
    return ((a == 0) & !is_nan(b)) ? T(0) : y;
  }
};

/// a log(1 + b); 0 for a zero a unless b is NaN.
struct xlog1py : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T y = a * math::log1p(b);
    return ((a == 0) & !is_nan(b)) ? T(0) : y;
  }
};

}  // namespace tern::kernels::formulas
