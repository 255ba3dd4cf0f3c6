#pragma once

#include <tern/core/kernels/math.h>

namespace tern::kernels::math {

/// C's pow, through double so that the product in the exponent is exact enough.
TERN_HOST_DEVICE float pow(float base, float exponent) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kRound = FloatTraits<double>::kRound;
  const double a = abs(static_cast<double>(base)), b = exponent;
  const double magnitude = abs(b);
  // Floats from 2^24 on are even integers.
  const double shifted = b + kRound;
  const bool small = magnitude < 0x1p24;
  const bool integer = !small || shifted - kRound == b;
  const bool odd = small && integer && (to_bits(shifted) & 1) != 0;

  double y = exp(b * log(a));
  y = a == 1 && magnitude == kInfinity ? 1.0 : y;
  y = base < 0 && a < kInfinity && !integer ? std::numeric_limits<double>::quiet_NaN() : y;
  y = odd ? copysign(y, static_cast<double>(base)) : y;
  y = base == 1 || exponent == 0 ? 1.0 : y;
  return static_cast<float>(y);
}
TERN_HOST_DEVICE double pow(double base, double exponent) { return ::pow(base, exponent); }

}  // namespace tern::kernels::math
