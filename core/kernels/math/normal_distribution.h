#pragma once

#include <tern/core/kernels/math/error_function.h>

// Functions of the standard normal distribution. All compute in double.

namespace tern::kernels::math {

/// e^(a^2) erfc(a) for a >= 0, from a = 26 on by its asymptotic series (Abramowitz and Stegun
/// 7.1.23).
TERN_HOST_DEVICE double erfcx_positive(double a) {
  constexpr double kInverseRootPi = 0.564189583547756286948;
  if (a < 0.6) return exp(a * a) * (1 - a * erf_small(a * a));
  if (a < 26) {
    return erfc_scaled((a - kErfcCentre<double>) / (a + kErfcCentre<double>)) / (1 + 2 * a);
  }
  const double inverse = 1 / a;
  return kInverseRootPi * inverse *
         polynomial(inverse * inverse, 1.0, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875,
                    -1055.7421875);
}

/// e^(x^2) erfc(x).
TERN_HOST_DEVICE_CALL double erfcx(double x) {
  const double y = erfcx_positive(abs(x));
  if (!(x < 0)) return y;
  const double square = x * x;
  if (square > 710) return std::numeric_limits<double>::infinity();
  return 2 * exp(square) * (1 + square_error(-x, square)) - y;
}
TERN_HOST_DEVICE float erfcx(float x) { return static_cast<float>(erfcx(static_cast<double>(x))); }

/// The logarithm of the probability of a number below x.
TERN_HOST_DEVICE_CALL double log_ndtr(double x) {
  constexpr double kRootHalf = 0.707106781186547524401;
  if (x < -1) return log(0.5 * erfcx_positive(-x * kRootHalf)) - 0.5 * x * x;
  if (x < 1) return log1p(-0.5 * erfc(x * kRootHalf));
  if (x > 39) return -0.0;
  const double square = x * x;
  const double density = exp(-0.5 * square) * (1 - 0.5 * square_error(x, square));
  return log1p(-0.5 * (density * erfcx_positive(x * kRootHalf)));
}
TERN_HOST_DEVICE float log_ndtr(float x) {
  return static_cast<float>(log_ndtr(static_cast<double>(x)));
}

/// The number below which lies the probability p: algorithm AS 241 (Wichura, 1988).
TERN_HOST_DEVICE_CALL double ndtri(double p) {
  const double q = p - 0.5;
  if (abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial(r, 3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
                      13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
                      33430.575583588128105, 2509.0809287301226727) /
           polynomial(r, 1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
                      21213.794301586595867, 39307.895800092710610, 28729.085735721942674,
                      5226.4952788528545610);
  }
  const double tail = q < 0 ? p : 1 - p;
  if (!(tail > 0)) {
    return tail == 0 ? copysign(std::numeric_limits<double>::infinity(), q)
                     : std::numeric_limits<double>::quiet_NaN();
  }
  const double root = sqrt(-log(tail));
  double y;
  if (root <= 5) {
    const double r = root - 1.6;
    y = polynomial(r, 1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
                   3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770,
                   0.0227238449892691845833, 7.74545014278341407640e-4) /
        polynomial(r, 1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
                   0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
                   1.05075007164441684324e-9);
  } else {
    const double r = root - 5;
    y = polynomial(r, 6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
                   0.296560571828504891230, 0.0265321895265761230930, 0.00124266094738807843860,
                   2.71155556874348757815e-5, 2.01033439929228813265e-7) /
        polynomial(r, 1.0, 0.599832206555887937690, 0.136929880922735805310,
                   0.0148753612908506148525, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                   1.42151175831644588870e-7, 2.04426310338993978564e-15);
  }
  return q < 0 ? -y : y;
}
TERN_HOST_DEVICE float ndtri(float p) { return static_cast<float>(ndtri(static_cast<double>(p))); }

}  // namespace tern::kernels::math
