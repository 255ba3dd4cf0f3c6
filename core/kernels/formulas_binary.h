#pragma once

#include <concepts>

#include <tern/core/kernels/formulas_float.h>
#include <tern/core/kernels/formulas_unary.h>
#include <tern/core/kernels/pow.h>

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
struct lerp : ScaledFormula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return value(a, b, T(1));
  }
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b, T weight) {
    const bool near_a = math::abs(weight) < T(0.5);
    return math::fma(near_a ? weight : weight - T(1), b - a, near_a ? a : b);
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

/// The remainder with the sign of the divisor. Integers: 0 for a zero divisor; the caller reports
/// it.
struct remainder : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) {
      return with_sign_of_divisor(std::fmod(a, b), b);
    } else {
      return b == 0 || b == -1 ? 0 : with_sign_of_divisor(a % b, b);
    }
  }
  /// True if a double holds the quotient with enough digits to truncate it correctly.
  TERN_HOST_DEVICE static bool bounded(float a, float b) {
    return (math::abs(b) < std::numeric_limits<float>::infinity()) &
           (math::abs(a) <= 0x1p28f * math::abs(b));
  }
  TERN_HOST_DEVICE static bool bounded(std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
    return (a == x) & (b == y) & bounded(x, y);
  }
  /// The quotient of the smallest integer and -1 is no int32.
  TERN_HOST_DEVICE static bool bounded(std::int32_t a, std::int32_t b) {
    return (b != 0) & (a != std::numeric_limits<std::int32_t>::min());
  }
  TERN_HOST_DEVICE static float bounded_value(float a, float b) {
    const double x = a, y = b;
    const double r = x - math::trunc(x / y) * y;
    return with_sign_of_divisor(math::copysign(static_cast<float>(r), a), b);
  }
  TERN_HOST_DEVICE static std::int64_t bounded_value(std::int64_t a, std::int64_t b) {
    // All machines can convert vectors of 32-bit integers.
    return bounded_value(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  }
  TERN_HOST_DEVICE static std::int32_t bounded_value(std::int32_t a, std::int32_t b) {
    const double x = a, y = b;
    const double r = x - static_cast<std::int32_t>(x / y) * y;
    return with_sign_of_divisor(static_cast<std::int32_t>(r), b);
  }

 private:
  template <class T>
  TERN_HOST_DEVICE static T with_sign_of_divisor(T r, T b) {
    return ((r != 0) & ((r < 0) != (b < 0))) ? r + b : r;
  }
};

}  // namespace tern::kernels::formulas
