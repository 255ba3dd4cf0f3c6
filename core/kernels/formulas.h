#pragma once

#include <type_traits>

#include <tern/core/kernels/math.h>
#include <tern/core/kernels/pow.h>
#include <tern/core/kernels/trig.h>

// One formula per row of elementwise.def, with PyTorch's results at the edges. Each has
//   value(inputs...)          the result of one element;
//   value(inputs..., scale)   where ElementwiseArgs::scale counts (kScaled); without, it is 1.
// A formula that is free of branches only for ordinary inputs also says which those are
// (`bounded`) and computes them alone (`bounded_value`), so that a loop can vectorise them.

namespace tern::kernels::formulas {

struct Formula {
  static constexpr bool kScaled = false;
};
struct ScaledFormula {
  static constexpr bool kScaled = true;
};

/// Integer arithmetic that wraps around.
template <class T>
TERN_HOST_DEVICE T wrap(std::uint64_t x) {
  return static_cast<T>(x);
}
template <class T>
TERN_HOST_DEVICE std::uint64_t word(T x) {
  return static_cast<std::uint64_t>(x);
}

template <class T>
constexpr bool kFloating = std::is_floating_point_v<T>;
template <class T>
constexpr bool kBoolean = std::is_same_v<T, bool>;

// One input.

struct neg : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return -a;
    return wrap<T>(0 - word(a));
  }
};

struct abs : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    if constexpr (kFloating<T>) return math::abs(a);
    return a < 0 ? wrap<T>(0 - word(a)) : a;
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
    return a != a;
  }
};

struct isinf : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a) {
    if constexpr (kFloating<T>) return math::abs(a) == std::numeric_limits<T>::infinity();
    return false;
  }
};

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

// Two inputs.

/// a + scale b with one rounding; `or` of bools.
struct add : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kBoolean<T>) return a | b;
    if constexpr (kFloating<T>) return a + b;
    return wrap<T>(word(a) + word(b));
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b, T scale) {
    if constexpr (kBoolean<T>) return a | (b & scale);
    if constexpr (kFloating<T>) return math::fma(scale, b, a);
    return wrap<T>(word(a) + word(scale) * word(b));
  }
};

struct sub : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) return a - b;
    return wrap<T>(word(a) - word(b));
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b, T scale) {
    if constexpr (kFloating<T>) return math::fma(-scale, b, a);
    return wrap<T>(word(a) - word(scale) * word(b));
  }
};

struct mul : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kBoolean<T>) return a & b;
    if constexpr (kFloating<T>) return a * b;
    return wrap<T>(word(a) * word(b));
  }
};

struct div : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a / b;
  }
};

struct pow : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T base, T exponent) {
    if constexpr (kFloating<T>) {
      return math::pow(base, exponent);
    } else {
      if (exponent < 0) {
        if (base == 1) return 1;
        return base == -1 ? ((exponent & 1) != 0 ? T(-1) : T(1)) : T(0);
      }
      std::uint64_t result = 1;
      for (std::uint64_t square = word(base), n = word(exponent); n != 0; n >>= 1) {
        if ((n & 1) != 0) result *= square;
        square *= square;
      }
      return wrap<T>(result);
    }
  }
};

/// NaN when either is.
struct maximum : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a > b || a != a ? a : b;
  }
};

struct minimum : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a < b || a != a ? a : b;
  }
};

/// With the sign of the divisor. Integers: 0 for a zero divisor, which the caller reports.
struct remainder : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) {
      const T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    } else {
      if (b == 0 || b == -1) return 0;
      const T r = a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};

struct eq : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a == b;
  }
};

struct ne : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a != b;
  }
};

struct lt : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a < b;
  }
};

struct le : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a <= b;
  }
};

struct gt : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a > b;
  }
};

struct ge : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return a >= b;
  }
};

struct logical_and : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) & (b != 0);
  }
};

struct logical_or : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) | (b != 0);
  }
};

struct logical_xor : Formula {
  template <class T>
  TERN_HOST_DEVICE static bool value(T a, T b) {
    return (a != 0) != (b != 0);
  }
};

/// A NaN result lets the gradient through.
struct relu_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return result <= 0 ? T(0) : gradient;
  }
};

struct sigmoid_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return gradient * (T(1) - result) * result;
  }
};

struct tanh_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T gradient, T result) {
    return gradient * (T(1) - result * result);
  }
};

/// -(t log x + (1 - t) log(1 - x)) with both logarithms at least -100.
struct bce : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target) {
    const T log_x = math::at_least(math::log(x), T(-100));
    const T log_rest = math::at_least(math::log1p(-x), T(-100));
    return (target - T(1)) * log_rest - target * log_x;
  }
};

/// From logits: (1 - t) x + log(1 + e^-|x|) + max(-x, 0).
struct bce_logits : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target) {
    const T tail = math::log1p(math::exp(-math::abs(x)));
    return (T(1) - target) * x + (tail + (x < 0 ? -x : T(0)));
  }
};

// Three inputs.

struct bce_backward : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T x, T target, T gradient) {
    return gradient * (x - target) / math::at_least((T(1) - x) * x, T(1e-12));
  }
};

struct where_op : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(bool condition, T a, T b) {
    return condition ? a : b;
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
