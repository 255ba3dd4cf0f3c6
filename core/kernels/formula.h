#pragma once

#include <cstdint>
#include <type_traits>

#include <tern/core/kernels/is_nan.h>
#include <tern/core/kernels/math.h>

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

}  // namespace tern::kernels::formulas
