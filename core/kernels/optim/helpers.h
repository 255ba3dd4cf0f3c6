#pragma once

#include <limits>

#include <tern/core/kernels/host_device.h>
#include <tern/core/kernels/math/math.h>

// What several rules of formulas.h use.

namespace tern::kernels {

/// The list of the rules of one header.
template <class... Rules>
struct OptimRuleList {};

/// The members of a rule that uses all of its states in each form and has no other bit than
/// kMaximize. A rule that differs declares these members anew.
template <int kCount>
struct PlainRule {
  enum Form : unsigned { kMaximize = 1 };
  static constexpr unsigned kForms = 2;
  template <class T, class Numbers>
  static unsigned implied(const Numbers& /*numbers*/) {
    return 0;
  }
  static constexpr int kStates = kCount;
  static constexpr unsigned states(unsigned /*form*/) { return (1U << kCount) - 1; }
  static constexpr int kStepNumbers = 0;
};

/// a / b, correctly rounded, where `inverse` is 1 / b: three multiplications instead of a division
/// (Markstein, IBM J. Res. Dev. 34, 1990). a is not denormal.
template <class T>
TERN_HOST_DEVICE T divide(T a, T b, [[maybe_unused]] T inverse) {
#ifdef __FMA__
  const T near = a * inverse;
  const T exact = math::fma(math::fma(-near, b, a), inverse, near);
  return near == std::numeric_limits<T>::infinity() ? near : exact;
#else
  return a / b;
#endif
}

/// Moves `average` by `weight` towards x as PyTorch's lerp does, from the nearer end: `far` is
/// true for a weight of at least 0.5. `rest` is 1 - weight.
template <class T>
TERN_HOST_DEVICE T move_average(bool far, T average, T x, T weight, T rest) {
  const T difference = x - average;
  return far ? math::fma(-difference, rest, x) : math::fma(weight, difference, average);
}

/// The same, chosen for each element. For rules without a form bit for far weights.
template <class T>
TERN_HOST_DEVICE T move_average(T average, T x, T weight) {
  return move_average(!(weight < T(0.5)), average, x, weight, T(1) - weight);
}

}  // namespace tern::kernels
