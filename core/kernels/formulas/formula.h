#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math.h>

namespace tern::kernels::formulas {

/// Base of formulas without a scale.
struct Formula {
  static constexpr bool kScaled = false;
};
/// Base of formulas that read ElementwiseArgs::scale.
struct ScaledFormula {
  static constexpr bool kScaled = true;
};

/// Integer arithmetic runs on unsigned words, so that overflow wraps around.
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <class T>
TERN_HOST_DEVICE T wrap(Word<T> x) {
  return static_cast<T>(x);
}
template <class T>
TERN_HOST_DEVICE Word<T> word(T x) {
  return static_cast<Word<T>>(x);
}

template <class T>
constexpr bool kFloating = std::is_floating_point_v<T>;
template <class T>
constexpr bool kBoolean = std::is_same_v<T, bool>;

}  // namespace tern::kernels::formulas

// Define the formula of a function of core/kernels that has the same name and one or two inputs.
#define TERN_FORMULA_OF(name)              \
  struct name : Formula {                  \
    template <class T>                     \
    TERN_HOST_DEVICE static T value(T a) { \
      return math::name(a);                \
    }                                      \
  };
#define TERN_PAIR_FORMULA_OF(name)              \
  struct name : Formula {                       \
    template <class T>                          \
    TERN_HOST_DEVICE static T value(T a, T b) { \
      return math::name(a, b);                  \
    }                                           \
  };
// The same with tests for ordinary inputs; see formulas.h.
#define TERN_BOUNDED_FORMULA_OF(name, is_bounded, of_bounded) \
  struct name : Formula {                                     \
    template <class T>                                        \
    TERN_HOST_DEVICE static T value(T a) {                    \
      return math::name(a);                                   \
    }                                                         \
    template <class T>                                        \
    TERN_HOST_DEVICE static bool bounded(T a) {               \
      return math::is_bounded(a);                             \
    }                                                         \
    template <class T>                                        \
    TERN_HOST_DEVICE static T bounded_value(T a) {            \
      return math::of_bounded(a);                             \
    }                                                         \
  };
