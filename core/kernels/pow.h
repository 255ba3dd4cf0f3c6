#pragma once

#include <tern/core/kernels/math.h>

namespace tern::kernels::math {

/// Computes C's pow in double, so that the product in the exponent is exact enough.
TERN_HOST_DEVICE float pow(float base, float exponent) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kRound = FloatTraits<double>::kRound;
  const double a = abs(static_cast<double>(base)), b = exponent;
  // Floats from 2^24 on are even integers. For smaller ones, the low bit of `shifted` gives the
  // parity.
  const double shifted = b + kRound;
  const bool small = abs(b) < 0x1p24;
  const bool integer = !small | (shifted - kRound == b);
  const std::uint64_t odd_sign = (to_bits(shifted) << 63) & to_bits(static_cast<double>(base));

  double y = exp(b * log(a));
  y = ((a == 1) & (abs(b) == kInfinity)) ? 1.0 : y;
  y = ((base < 0) & (a < kInfinity) & !integer) ? std::numeric_limits<double>::quiet_NaN() : y;
  y = (small & integer) ? from_bits(to_bits(y) | odd_sign) : y;
  y = ((base == 1) | (exponent == 0)) ? 1.0 : y;
  return static_cast<float>(y);
}
TERN_HOST_DEVICE double pow(double base, double exponent) { return ::pow(base, exponent); }

}  // namespace tern::kernels::math
