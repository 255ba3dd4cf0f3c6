#pragma once

#include <tern/core/kernels/formulas/formula.h>

// Cheap formulas of one input.

namespace tern::kernels::formulas {

struct neg : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return -a;
    // With wrap(), loops of narrow elements would be computed in vectors of words.
    return static_cast<T>(0 - word(a));
  }
};

struct abs : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::abs(a);
    return a < 0 ? static_cast<T>(0 - word(a)) : a;
  }
};

struct sign : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    const T below = a < 0 ? T(-1) : T(0);
    return a > 0 ? T(1) : below;
  }
};

struct square : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return a * a;
    return wrap<T>(word(a) * word(a));
  }
};

struct relu : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a < 0 ? T(0) : a;
  }
};

struct floor : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::floor(a);
    return a;
  }
};

struct ceil : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::ceil(a);
    return a;
  }
};

struct round : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::round_even(a);
    return a;
  }
};

struct trunc : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::trunc(a);
    return a;
  }
};

struct logical_not : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a) {
    return a == 0;
  }
};

struct isnan : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a) {
    return is_nan(a);
  }
};

struct isinf : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a) {
    if constexpr (kFloating<T>) return math::abs(a) == std::numeric_limits<T>::infinity();
    return false;
  }
};

struct bitwise_not : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return ~a;
  }
};

}  // namespace tern::kernels::formulas
