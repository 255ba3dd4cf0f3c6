#pragma once

#include <tern/core/kernels/formulas/formula.h>
#include <tern/core/kernels/math/trig.h>

// Elementary functions of one floating-point input.

namespace tern::kernels::formulas {

TERN_FORMULA_OF(exp)
TERN_FORMULA_OF(expm1)
TERN_FORMULA_OF(log)
TERN_FORMULA_OF(log1p)
TERN_FORMULA_OF(sqrt)

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

TERN_BOUNDED_FORMULA_OF(sin, trig_bounded, sin_bounded)
TERN_BOUNDED_FORMULA_OF(cos, trig_bounded, cos_bounded)
TERN_FORMULA_OF(tanh)
TERN_FORMULA_OF(sigmoid)

}  // namespace tern::kernels::formulas
