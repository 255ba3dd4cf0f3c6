#pragma once

#include <tern/core/kernels/formulas_binary.h>
#include <tern/core/kernels/formulas_compare.h>
#include <tern/core/kernels/formulas_float.h>
#include <tern/core/kernels/formulas_loss.h>
#include <tern/core/kernels/formulas_unary.h>

// One formula per row of elementwise.def, with PyTorch's results at the edges. Each has
//   value(inputs...)          the result of one element;
//   value(inputs..., scale)   where ElementwiseArgs::scale counts (kScaled); without, it is 1.
// A formula that is free of branches only for ordinary inputs also says which those are
// (`bounded`) and computes them alone (`bounded_value`), so that a loop can vectorise them.

namespace tern::kernels::formulas {

struct where_op : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(bool condition, T a, T b) {
    return condition ? a : b;
  }
};

/// clamp where neither bound is NaN.
struct clamp_between : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T low, T high) {
    return math::at_most(math::at_least(a, low), high);
  }
};

/// The upper bound wins over the lower one; NaN in any input gives NaN.
struct clamp : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T low, T high) {
    return minimum::value(maximum::value(a, low), high);
  }
};

/// input + scale a b, the last product and the sum with one rounding.
struct addcmul : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T input, T a, T b) {
    return value(input, a, b, T(1));
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T input, T a, T b, T scale) {
    if constexpr (kFloating<T>) return math::fma(scale * a, b, input);
    return wrap<T>(word(input) + word(scale) * word(a) * word(b));
  }
};

}  // namespace tern::kernels::formulas
