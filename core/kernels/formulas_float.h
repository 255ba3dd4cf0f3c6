#pragma once

#include <tern/core/kernels/formula.h>
#include <tern/core/kernels/trig.h>

// Elementary functions of one floating-point input.

namespace tern::kernels::formulas {

struct exp : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::exp(a);
  }
};

struct expm1 : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::expm1(a);
  }
};

struct log : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::log(a);
  }
};

struct log1p : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::log1p(a);
  }
};

struct sqrt : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::sqrt(a);
  }
};

struct rsqrt : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return T(1) / math::sqrt(a);
  }
};

struct reciprocal : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return T(1) / a;
  }
};

struct sin : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::sin(a);
  }
  template <class T>
  TERN_HOST_DEVICE static bool bounded(T a) {
    return math::trig_bounded(a);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a) {
    return math::sin_bounded(a);
  }
};

struct cos : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::cos(a);
  }
  template <class T>
  TERN_HOST_DEVICE static bool bounded(T a) {
    return math::trig_bounded(a);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a) {
    return math::cos_bounded(a);
  }
};

struct tanh : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::tanh(a);
  }
};

struct sigmoid : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return math::sigmoid(a);
  }
};

}  // namespace tern::kernels::formulas
