#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include <tern/core/kernels/formulas/formula.h>

// Quotients and remainders of two inputs, and divisors of integers. Integers: 0 for a zero divisor;
// the caller reports it. The quotient of the smallest integer and -1 wraps around.

namespace tern::kernels::formulas {
namespace division {

/// Returns true if a double holds the quotient with enough digits to truncate it correctly.
TERN_HOST_DEVICE bool bounded(float a, float b) {
  return (math::abs(b) < std::numeric_limits<float>::infinity()) &
         (math::abs(a) <= 0x1p28f * math::abs(b));
}
#if defined(__FMA__) || defined(__CUDA_ARCH__)
/// Returns true if the quotient is a finite number of so few digits that the remainder, computed
/// with one rounding, is exact.
TERN_HOST_DEVICE bool bounded(double a, double b) {
  return (math::abs(b) < std::numeric_limits<double>::infinity()) &
         (math::abs(a) <= 0x1p50 * math::abs(b));
}
#endif
/// The quotient of the smallest integer and -1 is no int32.
TERN_HOST_DEVICE bool bounded(std::int32_t a, std::int32_t b) {
  return (b != 0) & (a != std::numeric_limits<std::int32_t>::min());
}
TERN_HOST_DEVICE bool bounded(std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  return (a == x) & (b == y) & bounded(x, y);
}

/// Returns the truncated quotient of bounded integers. All machines can convert vectors of 32-bit
/// integers to double.
TERN_HOST_DEVICE std::int32_t quotient(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<double>(a) / b);
}
TERN_HOST_DEVICE std::int64_t quotient(std::int64_t a, std::int64_t b) {
  return quotient(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
}

/// Returns the remainder, with the sign of a, of bounded numbers.
TERN_HOST_DEVICE float rest(float a, float b) {
  const double x = a, y = b;
  const double r = x - math::trunc(x / y) * y;
  return math::copysign(static_cast<float>(r), a);
}
TERN_HOST_DEVICE double rest(double a, double b) {
  // The quotient may round up to an integer; the remainder has the wrong sign then.
  const double r = math::fma(-math::trunc(a / b), b, a);
  const bool is_over = (r != 0) & ((r < 0) != (a < 0));
  return math::copysign(is_over ? r + math::copysign(b, a) : r, a);
}
TERN_HOST_DEVICE std::int32_t rest(std::int32_t a, std::int32_t b) {
  const double x = a, y = b;
  return static_cast<std::int32_t>(x - quotient(a, b) * y);
}
TERN_HOST_DEVICE std::int64_t rest(std::int64_t a, std::int64_t b) {
  return rest(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
}

template <class T>
concept Bounded = requires(T x) {
  division::bounded(x, x);
};

/// Returns true if a remainder of a division by b shows that the quotient must be rounded down.
template <class T>
TERN_HOST_DEVICE bool is_below(T rest, T b) {
  return (rest != 0) & ((rest < 0) != (b < 0));
}

}  // namespace division

/// The remainder with the sign of the dividend.
struct fmod : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) {
      return std::fmod(a, b);
    } else {
      return b == 0 || b == -1 ? 0 : a % b;
    }
  }
  template <division::Bounded T>
  TERN_HOST_DEVICE static bool bounded(T a, T b) {
    return division::bounded(a, b);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a, T b) {
    return division::rest(a, b);
  }
};

/// The remainder with the sign of the divisor.
struct remainder : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    return with_sign_of_divisor(fmod::value(a, b), b);
  }
  template <division::Bounded T>
  TERN_HOST_DEVICE static bool bounded(T a, T b) {
    return division::bounded(a, b);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a, T b) {
    return with_sign_of_divisor(division::rest(a, b), b);
  }

 private:
  template <class T>
  TERN_HOST_DEVICE static T with_sign_of_divisor(T r, T b) {
    return division::is_below(r, b) ? r + b : r;
  }
};

/// The quotient rounded towards zero.
struct div_trunc : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) {
      return math::trunc(a / b);
    } else {
      if (b == 0) return 0;
      return b == -1 ? wrap<T>(0 - word(a)) : a / b;
    }
  }
  template <std::integral T>
  TERN_HOST_DEVICE static bool bounded(T a, T b) {
    return division::bounded(a, b);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a, T b) {
    return division::quotient(a, b);
  }
};

/// The quotient rounded down; for floating numbers that of a - remainder, as Python's //.
struct div_floor : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    if constexpr (kFloating<T>) {
      return from_rest(a, b, fmod::value(a, b));
    } else {
      const T q = div_trunc::value(a, b);
      return division::is_below(fmod::value(a, b), b) ? q - 1 : q;
    }
  }
  template <division::Bounded T>
  TERN_HOST_DEVICE static bool bounded(T a, T b) {
    return division::bounded(a, b);
  }
  template <class T>
  TERN_HOST_DEVICE static T bounded_value(T a, T b) {
    const T rest = division::rest(a, b);
    if constexpr (kFloating<T>) {
      return from_rest(a, b, rest);
    } else {
      const T q = division::quotient(a, b);
      return division::is_below(rest, b) ? q - 1 : q;
    }
  }

 private:
  template <class T>
  TERN_HOST_DEVICE static T from_rest(T a, T b, T rest) {
    const T exact = (a - rest) / b;
    const T q = division::is_below(rest, b) ? exact - T(1) : exact;
    const T down = math::floor(q);
    const T nearest = q - down > T(0.5) ? down + T(1) : down;
    const T plain = a / b;
    const T signed_q = q == 0 ? math::copysign(T(0), plain) : nearest;
    return b == 0 ? plain : signed_q;
  }
};

/// The greatest common divisor; 0 for two zeros.
struct gcd : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    Word<T> x = magnitude(a), y = magnitude(b);
    while (y != 0) {
      const Word<T> rest = x % y;
      x = y;
      y = rest;
    }
    return wrap<T>(x);
  }
  template <class T>
  TERN_HOST_DEVICE static Word<T> magnitude(T a) {
    return a < 0 ? 0 - word(a) : word(a);
  }
};

/// The least common multiple, the magnitude of the product that wrapped around; 0 if an input is 0.
struct lcm : Formula {
  template <class T>
  TERN_HOST_DEVICE static T value(T a, T b) {
    const Word<T> divisor = word(gcd::value(a, b));
    if (divisor == 0) return 0;
    return wrap<T>(gcd::magnitude(wrap<T>(gcd::magnitude(a) / divisor * gcd::magnitude(b))));
  }
};

}  // namespace tern::kernels::formulas
