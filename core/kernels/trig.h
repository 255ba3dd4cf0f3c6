#pragma once

#include <tern/core/kernels/math.h>

namespace tern::kernels::math {

/// Up to this limit sin and cos reduce their argument by plain arithmetic; beyond it, they call the
/// standard library.
constexpr double kTrigLimit = 0x1p20;

/// x = n pi/2 + high + low with |high| <= pi/4; n modulo 4 in the low bits.
struct TrigParts {
  std::uint64_t n;
  double high, low;
};

TERN_HOST_DEVICE TrigParts reduce_trig(double x) {
  using Traits = FloatTraits<double>;
  const double shifted = mul_add(x, 0.6366197723675813430755, Traits::kRound);
  const double n = shifted - Traits::kRound;
  // pi/2 in parts of 33 bits: n times each of the first two parts is exact.
  const double a = x - n * 0x1.921fb544p+0;
  const double b = n * 0x1.0b4611a6p-34;
  const double difference = a - b;
  const double rest = n * 0x1.3198a2e037073p-69 - ((a - difference) - b);
  const double high = difference - rest;
  return {to_bits(shifted), high, (difference - high) - rest};
}

/// Returns sin(x), or cos(x) when `quarter` is 1, for |x| <= kTrigLimit.
TERN_HOST_DEVICE double sin_bounded(double x, std::uint64_t quarter) {
  const TrigParts parts = reduce_trig(x);
  const double r = parts.high, z = r * r;
  const double sine_tail =
      polynomial(z, -0.16666666666666664614, 0.0083333333333309384591, -0.00019841269836742980046,
                 2.7557316094307683315e-6, -2.5051130101805411026e-8, 1.5918002281873042046e-10);
  const double cosine_tail =
      polynomial(z, 0.041666666666666665382, -0.0013888888888887390833, 2.4801587298755762347e-5,
                 -2.7557317266494784778e-7, 2.0876145163581363372e-9, -1.1382552040955050291e-11);
  const double half = 0.5 * z;
  const double sine = r + mul_add(r * z, sine_tail, parts.low * (1.0 - half));
  // The rounding error of 1 - z/2 is added back with the small terms.
  const double top = 1.0 - half;
  const double cosine =
      top + (((1.0 - top) - half) + mul_add(z * z, cosine_tail, -(r * parts.low)));
  const std::uint64_t quadrant = parts.n + quarter;
  const double y = (quadrant & 1) != 0 ? cosine : sine;
  return from_bits(to_bits(y) ^ ((quadrant & 2) << 62));
}

TERN_HOST_DEVICE bool trig_bounded(double x) { return abs(x) <= kTrigLimit; }

/// Returns sin(x) for |x| <= kTrigLimit. Zero keeps its sign.
template <class T>
TERN_HOST_DEVICE T sin_bounded(T x) {
  return abs(x) < FloatTraits<T>::kTiny ? x : static_cast<T>(sin_bounded(double(x), 0));
}
/// Returns cos(x) for |x| <= kTrigLimit.
template <class T>
TERN_HOST_DEVICE T cos_bounded(T x) {
  return static_cast<T>(sin_bounded(double(x), 1));
}

template <class T>
TERN_HOST_DEVICE T sin(T x) {
  return trig_bounded(x) ? sin_bounded(x) : std::sin(x);
}
template <class T>
TERN_HOST_DEVICE T cos(T x) {
  return trig_bounded(x) ? cos_bounded(x) : std::cos(x);
}

}  // namespace tern::kernels::math
