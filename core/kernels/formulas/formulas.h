#pragma once

#include <tern/core/kernels/formulas/activation.h>
#include <tern/core/kernels/formulas/binary.h>
#include <tern/core/kernels/formulas/compare.h>
#include <tern/core/kernels/formulas/division.h>
#include <tern/core/kernels/formulas/float.h>
#include <tern/core/kernels/formulas/float_binary.h>
#include <tern/core/kernels/formulas/loss.h>
#include <tern/core/kernels/formulas/special.h>
#include <tern/core/kernels/formulas/unary.h>

// One formula per row of elementwise.def, with PyTorch's results in edge cases. Each formula has
//   value(inputs...)          the result of one element;
//   value(inputs..., scale)   the result with ElementwiseArgs::scale (only if kScaled).
// A scaled formula without the first form always reads its scale; for others it is 1 then.
// A formula that is branch-free only for ordinary inputs also has `bounded`, which tests for these
// inputs, and `bounded_value`, which computes only these, so that a loop can vectorise.

namespace tern::kernels::formulas {

struct where_op : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(bool condition, T a, T b) {
    return condition ? a : b;
  }
};

/// clamp for bounds that are not NaN.
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

/// input + scale * a * b; the product with b and the sum share one rounding.
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

/// input + scale * a / b.
struct addcdiv : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T input, T a, T b) {
    return input + a / b;
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T input, T a, T b, T scale) {
    return input + scale * a / b;
  }
};

}  // namespace tern::kernels::formulas
