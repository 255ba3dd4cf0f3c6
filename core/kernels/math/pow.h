#pragma once

#include <tern/core/kernels/math/math.h>

namespace tern::kernels::math {

/// log2(x) for a positive and finite float x, with a relative error of 2^-37.
TERN_HOST_DEVICE double log2_of_float(double x) {
  const LogParts<double> parts = reduce_log(x);
  const double s = (parts.m - 1) / (parts.m + 1);
  return mul_add(s,
                 polynomial(s * s, 2.8853900817779268, 0.961796679193027, 0.577082852137558,
                            0.41170633515168564, 0.3402185271909309),
                 parts.exponent);
}

/// 2^x with a relative error of 2^-34; beyond the range of float, any value beyond it.
TERN_HOST_DEVICE double exp2_of_float(double x) {
  constexpr double kRound = FloatTraits<double>::kRound;
  const double bounded = at_most(at_least(x, -160.0), 130.0);
  const double shifted = bounded + kRound;
  const double r = bounded - (shifted - kRound);
  const double p = polynomial(r, 1.0, 0.6931471805599453, 0.24022651022796118, 0.05550410599372227,
                              0.0096180429989007, 0.0013333821095981456, 0.00015465492850280733,
                              1.521350812690243e-05);
  return p * power_of_two<double>(to_bits(shifted) - to_bits(kRound));
}

/// Returns true if pow_bounded(base, exponent) is enough.
TERN_HOST_DEVICE bool is_pow_bounded(float base, float exponent) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return (base > 0) & (base < kInfinity) & (abs(exponent) < kInfinity);
}

/// Computes C's pow for a positive, finite base and a finite exponent. In double, so that the
/// product in the exponent is exact enough.
TERN_HOST_DEVICE float pow_bounded(float base, float exponent) {
  return static_cast<float>(
      exp2_of_float(static_cast<double>(exponent) * log2_of_float(static_cast<double>(base))));
}

/// Computes C's pow.
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

  const double logarithm = a > 0 ? log2_of_float(a) : -kInfinity;
  double y = exp2_of_float(b * (a < kInfinity ? logarithm : a));
  y = ((a == 1) & (abs(b) == kInfinity)) ? 1.0 : y;
  y = ((base < 0) & (a < kInfinity) & !integer) ? std::numeric_limits<double>::quiet_NaN() : y;
  y = (small & integer) ? from_bits(to_bits(y) | odd_sign) : y;
  y = ((base == 1) | (exponent == 0)) ? 1.0 : y;
  return static_cast<float>(y);
}
TERN_HOST_DEVICE double pow(double base, double exponent) { return ::pow(base, exponent); }

}  // namespace tern::kernels::math
