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
