#pragma once

#include <tern/core/kernels/math/math.h>

// The modified Bessel functions of the first kind, of orders 0 and 1. All compute in double. The
// coefficients are our own minimax fits.

namespace tern::kernels::math {

/// From here on, an asymptotic form is used.
constexpr double kBesselLarge = 8;

/// (I0(x) - 1) / z in z = x^2 / 4 <= 16.
TERN_HOST_DEVICE double bessel_i0_small(double z) {
  return polynomial(z, 1.0, 0.24999999999999999996, 0.027777777777777778042,
                    0.0017361111111111104837, 0.00006944444444444522794, 1.9290123456784190168e-6,
                    3.9367598891704540796e-8, 6.1511873257558517231e-10, 7.5940584537178415821e-12,
                    7.5940579594976934769e-14, 6.2760877266602242165e-16, 4.3583249877231042859e-18,
                    2.5794178351052893332e-20, 1.3130874489257474568e-22, 5.9527355875767929934e-25,
                    2.0130752860512570448e-27, 1.2002672023650634019e-29);
}

/// 2 I1(x) / x in z = x^2 / 4 <= 16.
TERN_HOST_DEVICE double bessel_i1_small(double z) {
  return polynomial(z, 1.0, 0.49999999999999999919, 0.083333333333333338191,
                    0.0069444444444444329166, 0.00034722222222223661673, 0.000011574074074063174137,
                    2.7557319224529845746e-7, 4.9209498595403066075e-9, 6.834652632309532218e-11,
                    7.5940575677112647507e-13, 6.903701192957936128e-15, 5.2299488194453197666e-17,
                    3.3535043207335214806e-19, 1.8371568656912371772e-21, 8.9638066090012037633e-24,
                    3.159069754559477399e-26, 2.0903513298308397088e-28);
}

/// sqrt(x) e^-x I0(x) in t = 16 / x - 1 for x >= 8.
TERN_HOST_DEVICE double bessel_i0_large(double t) {
  return polynomial(t, 0.40217650944500807582, 0.0033605519836678540963, 0.00013621607439232747274,
                    0.00001114303379155674261, 1.4838475473607391562e-6, 2.9735984324791689035e-7,
                    8.8722535112858404568e-8, 3.9326024597031090648e-8, 2.1545177650836004368e-8,
                    7.5535164703558962265e-9, -6.7297241119235484586e-9, -1.340424199198087017e-8,
                    -5.4685974495866000078e-9, 7.5406013788908334734e-9, 7.580221339152719224e-9,
                    -3.4857887470034954789e-9, -6.1882650904973612097e-9, 1.4978808301870910383e-9,
                    3.8811512539960667914e-9, -5.5622019900803933254e-10, -1.7789375042917173877e-9,
                    1.4672236659214397367e-10, 5.181936971288283669e-10, -1.9216763724933512544e-11,
                    -7.0689385118187804212e-11);
}

/// sqrt(x) e^-x I1(x) in t = 16 / x - 1 for x >= 8.
TERN_HOST_DEVICE double bessel_i1_large(double t) {
  return polynomial(t, 0.38939845902587232997, -0.0097495771932357289238,
                    -0.00021923576383430275169, -0.000015038547201176271351,
                    -1.8349101134666434401e-6, -3.4838556090099368549e-7, -1.0001323461066434931e-7,
                    -4.3129353699713558998e-8, -2.3370596271118568686e-8, -8.4266228295981544115e-9,
                    6.7157951280850175752e-9, 1.4029693589852716984e-8, 6.0408773421609881411e-9,
                    -7.6307519700655777849e-9, -8.0442312761665084852e-9, 3.4066361301967942638e-9,
                    6.4870195719816895651e-9, -1.4171698018664596355e-9, -4.0477854037118586034e-9,
                    5.1464988260871418638e-10, 1.8513716745511988467e-9, -1.3422663200822220689e-10,
                    -5.3882859959235238002e-10, 1.7502497778701305837e-11,
                    7.3479924417346638795e-11);
}

/// e^x y without an overflow of e^x alone.
TERN_HOST_DEVICE double times_exp(double y, double x) {
  const double half = exp(0.5 * x);
  return half * y * half;
}

/// I0(x).
TERN_HOST_DEVICE_CALL double i0(double x) {
  const double a = abs(x), z = 0.25 * a * a;
  if (a < kBesselLarge) return 1 + z * bessel_i0_small(z);
  if (a == std::numeric_limits<double>::infinity()) return a;
  return times_exp(bessel_i0_large(16 / a - 1) / sqrt(a), a);
}

/// e^-|x| I0(x).
TERN_HOST_DEVICE_CALL double i0e(double x) {
  const double a = abs(x), z = 0.25 * a * a;
  if (a < kBesselLarge) return exp(-a) * (1 + z * bessel_i0_small(z));
  return bessel_i0_large(16 / a - 1) / sqrt(a);
}

/// I1(x).
TERN_HOST_DEVICE_CALL double i1(double x) {
  const double a = abs(x);
  if (a < kBesselLarge) return 0.5 * x * bessel_i1_small(0.25 * a * a);
  if (a == std::numeric_limits<double>::infinity()) return x;
  return copysign(times_exp(bessel_i1_large(16 / a - 1) / sqrt(a), a), x);
}

/// e^-|x| I1(x).
TERN_HOST_DEVICE_CALL double i1e(double x) {
  const double a = abs(x);
  if (a < kBesselLarge) return exp(-a) * (0.5 * x * bessel_i1_small(0.25 * a * a));
  return copysign(bessel_i1_large(16 / a - 1) / sqrt(a), x);
}

TERN_HOST_DEVICE float i0(float x) { return static_cast<float>(i0(static_cast<double>(x))); }
TERN_HOST_DEVICE float i0e(float x) { return static_cast<float>(i0e(static_cast<double>(x))); }
TERN_HOST_DEVICE float i1(float x) { return static_cast<float>(i1(static_cast<double>(x))); }
TERN_HOST_DEVICE float i1e(float x) { return static_cast<float>(i1e(static_cast<double>(x))); }

}  // namespace tern::kernels::math
