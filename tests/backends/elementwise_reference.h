#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <tern/core/kernels/families/elementwise.h>

#include "backends/kernel_test.h"

// The expected results of elementwise ops, from the standard library in long double.

namespace tern::testing {

inline Number remainder_of(Number a, Number b) {
  const Number r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

inline Number nan_or(Number a, Number b, Number result) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<Number>::quiet_NaN() : result;
}

/// Returns the result for inputs of type T. Only steps that depend on T's arithmetic are computed
/// in T.
template <class T>
Number reference(kernels::ElementwiseOp op, T x, T y, T z, T factor) {
  using enum kernels::ElementwiseOp;
  constexpr bool kFloats = std::is_floating_point_v<T>;
  const Number a = x, b = y, c = z;
  switch (op) {
    case neg:
      return -a;
    case kernels::ElementwiseOp::abs:
      return std::abs(a);
    case sign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case square:
      return a * a;
    case relu:
      return a < 0 ? 0 : a;
    case floor:
      return std::floor(a);
    case ceil:
      return std::ceil(a);
    case round:
      return std::nearbyint(a);
    case trunc:
      return std::trunc(a);
    case logical_not:
      return a == 0;
    case isnan:
      return std::isnan(a);
    case isinf:
      return std::isinf(a);
    case exp:
      return std::exp(a);
    case expm1:
      return std::expm1(a);
    case log:
      return std::log(a);
    case log1p:
      return std::log1p(a);
    case sqrt:
      return std::sqrt(a);
    case rsqrt:
      return 1 / std::sqrt(a);
    case reciprocal:
      return 1 / a;
    case sin:
      return std::sin(a);
    case cos:
      return std::cos(a);
    case tanh:
      return std::tanh(a);
    case sigmoid:
      return 1 / (1 + std::exp(-a));
    case add:
      if constexpr (kFloats) return std::fma(factor, y, x);
      return std::is_same_v<T, bool> ? Number(x || (y && factor)) : a + Number(factor) * b;
    case sub:
      if constexpr (kFloats) return std::fma(-factor, y, x);
      return a - Number(factor) * b;
    case kernels::ElementwiseOp::lerp:
      if constexpr (kFloats) {
        return std::abs(factor) < T(0.5) ? std::fma(factor, y - x, x)
                                         : std::fma(factor - 1, y - x, y);
      }
      return 0;
    case mul:
      return a * b;
    case div:
      return a / b;
    case pow:
      if (!kFloats && b < 0)
        return a == 1 || (a == -1 && std::fmod(b, 2) == 0) ? 1 : a == -1 ? -1 : 0;
      return std::pow(a, b);
    case maximum:
      return nan_or(a, b, std::max(a, b));
    case minimum:
      return nan_or(a, b, std::min(a, b));
    case remainder:
      return remainder_of(a, b);
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case logical_and:
      return a != 0 && b != 0;
    case logical_or:
      return a != 0 || b != 0;
    case logical_xor:
      return (a != 0) != (b != 0);
    case bitwise_not:
      if constexpr (std::is_same_v<T, std::int64_t>) return static_cast<Number>(~x);
      break;
    case bitwise_and:
      if constexpr (std::is_same_v<T, std::int64_t>) return static_cast<Number>(x & y);
      break;
    case bitwise_or:
      if constexpr (std::is_same_v<T, std::int64_t>) return static_cast<Number>(x | y);
      break;
    case bitwise_xor:
      if constexpr (std::is_same_v<T, std::int64_t>) return static_cast<Number>(x ^ y);
      break;
    case relu_backward:
      return b <= 0 ? 0 : a;
    case sigmoid_backward:
      return x * (T(1) - y) * y;
    case tanh_backward:
      return x * (T(1) - y * y);
    case bce:
      return (b - 1) * std::max(std::log1p(-a), Number(-100)) -
             b * std::max(std::log(a), Number(-100));
    case bce_logits:
      return (1 - b) * a + std::log1p(std::exp(-std::abs(a))) + std::max(-a, Number(0));
    case bce_backward:
      return (a - b) / std::max(a * (1 - a), Number(T(1e-12))) * c;
    case where_op:
      return a != 0 ? b : c;
    case clamp:
      return nan_or(nan_or(a, b, a), c, std::min(std::max(a, b), c));
    case addcmul:
      if constexpr (kFloats) return std::fma(static_cast<T>(factor * y), z, x);
      return a + Number(factor) * b * c;
  }
  return std::numeric_limits<Number>::quiet_NaN();
}

/// Returns the allowed error of an op in units in the last place, besides the rounding of its
/// result.
inline Number tolerance(kernels::ElementwiseOp op) {
  using enum kernels::ElementwiseOp;
  switch (op) {
    case exp:
    case expm1:
    case log:
    case log1p:
    case sin:
    case cos:
    case tanh:
    case sigmoid:
    case pow:
    case rsqrt:
    case bce_backward:
      return 4;
    case bce:
    case bce_logits:
      return 8;
    default:
      return 0.51L;
  }
}

}  // namespace tern::testing
