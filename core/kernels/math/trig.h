#pragma once

#include <tern/core/kernels/math/math.h>

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

/// The sine and the cosine of an argument less n pi/2; n modulo 4 in the low bits.
template <class T>
struct SinCos {
  typename FloatTraits<T>::Bits n;
  T sine, cosine;
};

TERN_HOST_DEVICE SinCos<double> sin_cos_reduced(double x) {
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
  return {parts.n, sine, cosine};
}

/// Returns sin(x), or cos(x) when `quarter` is 1, for |x| <= kTrigLimit.
TERN_HOST_DEVICE double sin_bounded(double x, std::uint64_t quarter) {
  const SinCos<double> parts = sin_cos_reduced(x);
  const std::uint64_t quadrant = parts.n + quarter;
  const double y = (quadrant & 1) != 0 ? parts.cosine : parts.sine;
  return from_bits(to_bits(y) ^ ((quadrant & 2) << 62));
}

template <class T>
TERN_HOST_DEVICE bool trig_bounded(T x) {
  return abs(x) <= static_cast<T>(kTrigLimit);
}

/// Returns sin(x) for |x| <= kTrigLimit. Zero keeps its sign.
TERN_HOST_DEVICE double sin_bounded(double x) {
  return abs(x) < FloatTraits<double>::kTiny ? x : sin_bounded(x, std::uint64_t(0));
}
/// Returns cos(x) for |x| <= kTrigLimit.
TERN_HOST_DEVICE double cos_bounded(double x) { return sin_bounded(x, std::uint64_t(1)); }

/// Returns the tangent of the reduced |x|, with the sign of x.
template <class T>
TERN_HOST_DEVICE T tan_of(const SinCos<T>& parts, T x) {
  using Bits = typename FloatTraits<T>::Bits;
  const bool is_odd = (parts.n & 1) != 0;
  const T y = (is_odd ? -parts.cosine : parts.sine) / (is_odd ? parts.sine : parts.cosine);
  constexpr Bits kSign = ~(~Bits(0) >> 1);
  return from_bits(static_cast<Bits>(to_bits(y) ^ (to_bits(x) & kSign)));
}
/// Returns tan(x) for |x| <= kTrigLimit. Zero keeps its sign.
TERN_HOST_DEVICE double tan_bounded(double x) {
  return abs(x) < FloatTraits<double>::kTiny ? x : tan_of(sin_cos_reduced(abs(x)), x);
}

#if defined(__FMA__) || defined(__CUDA_ARCH__)
/// Takes |x|, in half the instructions of the arithmetic in double. pi/2 is cut into parts of 24
/// bits: subtracting n times the first is exact, and subtracting the others rounds relative to the
/// small remainder.
TERN_HOST_DEVICE SinCos<float> sin_cos_reduced(float magnitude) {
  using Traits = FloatTraits<float>;
  const float shifted = fma(magnitude, 0.63661975f, Traits::kRound);
  const float n = shifted - Traits::kRound;
  float r = fma(n, -0x1.921fb4p+0f, magnitude);
  r = fma(n, -0x1.4442dp-24f, r);
  r = fma(n, -0x1.846988p-48f, r);
  const float z = r * r;
  const float sine_tail = polynomial(z, -0.1666665f, 0.008331869f, -0.00019477175f);
  const float cosine_tail = polynomial(z, -0.5f, 0.041666638f, -0.0013886921f, 2.4389668e-05f);
  const float sine = fma(r * z, sine_tail, r);
  const float cosine = fma(z, cosine_tail, 1.0f);
  return {to_bits(shifted), sine, cosine};
}

/// Returns sin(x), or cos(x) when `quarter` is 1, for |x| <= kTrigLimit.
TERN_HOST_DEVICE float sin_bounded(float x, std::uint32_t quarter) {
  const SinCos<float> parts = sin_cos_reduced(abs(x));
  const std::uint32_t quadrant = parts.n + quarter;
  const float y = (quadrant & 1) != 0 ? parts.cosine : parts.sine;
  const std::uint32_t sign = (quadrant << 30) ^ (quarter == 0 ? to_bits(x) : 0);
  return from_bits(to_bits(y) ^ (sign & 0x80000000));
}
TERN_HOST_DEVICE float sin_bounded(float x) { return sin_bounded(x, std::uint32_t(0)); }
TERN_HOST_DEVICE float cos_bounded(float x) { return sin_bounded(x, std::uint32_t(1)); }
TERN_HOST_DEVICE float tan_bounded(float x) { return tan_of(sin_cos_reduced(abs(x)), x); }
#else
TERN_HOST_DEVICE float sin_bounded(float x) {
  return abs(x) < FloatTraits<float>::kTiny ? x : static_cast<float>(sin_bounded(double(x)));
}
TERN_HOST_DEVICE float cos_bounded(float x) { return static_cast<float>(cos_bounded(double(x))); }
TERN_HOST_DEVICE float tan_bounded(float x) {
  return abs(x) < FloatTraits<float>::kTiny ? x : static_cast<float>(tan_bounded(double(x)));
}
#endif

template <class T>
TERN_HOST_DEVICE T sin(T x) {
  return trig_bounded(x) ? sin_bounded(x) : std::sin(x);
}
template <class T>
TERN_HOST_DEVICE T cos(T x) {
  return trig_bounded(x) ? cos_bounded(x) : std::cos(x);
}

template <class T>
TERN_HOST_DEVICE T tan(T x) {
  return trig_bounded(x) ? tan_bounded(x) : std::tan(x);
}

/// (sin(pi r) / (pi r) - 1) / z as a polynomial in z = r^2 for |r| <= 1/2.
TERN_HOST_DEVICE float sin_pi_over_pi_tail(float z) {
  return polynomial(z, -1.64493345f, 0.811718547f, -0.190461912f, 0.0247549571f);
}
TERN_HOST_DEVICE double sin_pi_over_pi_tail(double z) {
  return polynomial(z, -1.6449340668482263455, 0.81174242528334183454, -0.1907518241215603563,
                    0.026147847806416839364, -0.002346080902065382795, 0.00014842787002077756302,
                    -6.9721653266573373616e-6, 2.4509145716113659558e-7);
}

/// Returns sin(pi r) / pi for |r| <= 1/2.
template <class T>
TERN_HOST_DEVICE T sin_pi_over_pi(T r) {
  const T z = r * r;
  return mul_add(r * z, sin_pi_over_pi_tail(z), r);
}

/// Returns sin(pi x) / (pi x). The reduction x = n + r is exact.
template <class T>
TERN_HOST_DEVICE T sinc(T x) {
  const T n = round_even(x), r = x - n;
  const T half = T(0.5) * n;
  const T y = sin_pi_over_pi(half == floor(half) ? r : -r) / x;
  return x == 0 ? T(1) : y;
}

}  // namespace tern::kernels::math
