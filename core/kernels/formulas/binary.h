#pragma once

#include <concepts>

#include <tern/core/kernels/formulas/float.h>
#include <tern/core/kernels/formulas/unary.h>
#include <tern/core/kernels/math/pow.h>

// Arithmetic of two inputs.

namespace tern::kernels::formulas {

/// a + scale * b with one rounding; logical or for bools.
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

/// a + weight * (b - a), computed from the nearer end, so that both ends are exact.
struct lerp_tensor : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b, T weight) {
    const bool near_a = math::abs(weight) < T(0.5);
    return math::fma(near_a ? weight : weight - T(1), b - a, near_a ? a : b);
  }
};

/// lerp_tensor with one weight for all elements.
struct lerp : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return value(a, b, T(1));
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b, T weight) {
    return lerp_tensor::value(a, b, weight);
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

struct cube : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a) {
    return a * a * a;
  }
};

struct pow : Formula {
  /// Calls `use(formula)` and returns true if a formula of one input computes this power.
  template <class T, class Use>
  static bool by_exponent(T exponent, const Use& use) {
    if constexpr (kFloating<T>) {
      if (exponent == T(2)) return use(square()), true;
      if (exponent == T(3)) return use(cube()), true;
      if (exponent == T(0.5)) return use(sqrt()), true;
      if (exponent == T(-0.5)) return use(rsqrt()), true;
      if (exponent == T(-1)) return use(reciprocal()), true;
    }
    return false;
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T base, T exponent) {
    if constexpr (kFloating<T>) {
      return math::pow(base, exponent);
    } else {
      if (exponent < 0) {
        if (base == 1) return 1;
        return base == -1 ? ((exponent & 1) != 0 ? T(-1) : T(1)) : T(0);
      }
      Word<T> result = 1;
      for (Word<T> square = word(base), n = word(exponent); n != 0; n >>= 1) {
        if ((n & 1) != 0) result *= square;
        square *= square;
      }
      return wrap<T>(result);
    }
  }
  TERN_HOST_DEVICE static bool bounded(std::same_as<float> auto base, float exponent) {
    return math::is_pow_bounded(base, exponent);
  }
  TERN_HOST_DEVICE static float bounded_value(float base, float exponent) {
    return math::pow_bounded(base, exponent);
  }
};

/// NaN if either input is NaN.
struct maximum : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T larger = a > b ? a : b;  // b when either is NaN
    return is_nan(a) ? a : larger;
  }
};

struct minimum : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const T smaller = a < b ? a : b;
    return is_nan(a) ? a : smaller;
  }
};

struct bitwise_and : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a & b;
  }
};

struct bitwise_or : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a | b;
  }
};

struct bitwise_xor : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return a ^ b;
  }
};

/// 0 if a shift leaves no bit.
struct bitwise_left_shift : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    constexpr int kBits = static_cast<int>(8 * sizeof(T));
    const Word<T> shifted = word(a) << (word(b) & (kBits - 1));
    return word(b) < kBits ? wrap<T>(shifted) : T(0);
  }
};

/// 0 or -1, the bits of the sign, if a shift leaves no bit.
struct bitwise_right_shift : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    constexpr int kBits = static_cast<int>(8 * sizeof(T));
    return a >> (word(b) < kBits ? b : T(kBits - 1));
  }
};

}  // namespace tern::kernels::formulas
