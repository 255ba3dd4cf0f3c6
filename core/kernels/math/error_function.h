#pragma once

#include <type_traits>

#include <tern/core/kernels/math/math.h>

// The error function, its complement and its inverse. The coefficients are our own minimax fits.

namespace tern::kernels::math {

/// erf(x) / x as a polynomial in z = x^2 for |x| <= 7/8.
TERN_HOST_DEVICE float erf_small(float z) {
  return polynomial(z, 1.12837916f, -0.376125572f, 0.112825243f, -0.0267939574f, 0.00503587366f,
                    -0.000622242131f);
}
TERN_HOST_DEVICE double erf_small(double z) {
  return polynomial(z, 1.1283791670955125736, -0.37612638903183740348, 0.11283791670954367881,
                    -0.026866170644945549907, 0.0052239776230902871652, -0.00085483268475681456115,
                    0.00012055324632984053395, -0.000014925388939350255745,
                    1.6456634810815937027e-6, -1.6289507258526669897e-7, 1.4124232165632782527e-8,
                    -8.6697287482870945131e-10);
}

/// -log(1 - erf(a)) for a in [7/8, 4], or [7/8, 6] in double; the error is weighted by 1 - erf(a).
TERN_HOST_DEVICE float erf_exponent(float a) {
  return polynomial(a, -0.000163586151f, 1.12946112f, 0.633456474f, 0.108158738f, -0.0250405245f,
                    0.00414096223f, -0.000428227134f, 2.0554165e-5f);
}
TERN_HOST_DEVICE double erf_exponent(double a) {
  return polynomial(a, -6.4676983153313398009e-9, 1.1283792726812658482, 0.63661899590740509704,
                    0.102776074814859962, -0.019139125130775528222, -0.00018503433228752932847,
                    0.001654317190832223846, -0.00053298564886169964528,
                    -0.000036486452668723892479, 0.00011947467123313181385,
                    -0.000068968775173746959218, 0.000025923125483068118254,
                    -7.2993186708103075431e-6, 1.5983132661046970504e-6, -2.7332602563580374615e-7,
                    3.597631853637269356e-8, -3.5279304989480715455e-9, 2.429467184230458611e-10,
                    -1.0483145212052882422e-11, 2.1318973328272822332e-13);
}

template <class T>
TERN_HOST_DEVICE T erf(T x) {
  constexpr T kHighest = std::is_same_v<T, float> ? T(4) : T(6);  // erf rounds to 1
  const T a = abs(x);
  const T large = copysign(T(1) - exp_or_zero(-erf_exponent(at_most(a, kHighest))), x);
  return a > T(0.875) ? large : x * erf_small(x * x);
}

/// (1 + 2 a) e^(a^2) erfc(a) as a polynomial in t = (a - k) / (a + k), where k is kErfcCentre. The
/// form is that of Shepherd and Laframboise, 1981.
template <class T>
constexpr T kErfcCentre = std::is_same_v<T, float> ? T(2) : T(3.75);
TERN_HOST_DEVICE float erfc_scaled(float t) {
  return polynomial(t, 1.27697839f, -0.092763985f, -0.166031461f, 0.164055425f, -0.0542038847f,
                    -0.00806014038f, 0.00863010134f, 0.00131330813f, -0.0012280074f,
                    -0.000399451733f);
}
TERN_HOST_DEVICE double erfc_scaled(double t) {
  return polynomial(t, 1.237512630837827585, -0.14024059858554668889, 0.0035854154854625590203,
                    0.082276738490112495421, -0.10880393014164667034, 0.09230432116153762157,
                    -0.058693398591681468582, 0.028362277399935647568, -0.0097465795388917085061,
                    0.0017556260258480159804, 0.00029371357819369301699, -0.00029015503488724609408,
                    0.000051649234802089967366, 0.000022387574295609940134,
                    -0.000011443696261492143119, -9.8101264638171219151e-7,
                    1.7489892025033818292e-6, -4.6817188719737158195e-8, -2.530674785667828271e-7,
                    1.483801113338303754e-8, 3.2748719507972382554e-8, -4.5781794492727132439e-10,
                    -2.2565944998105826233e-9);
}

/// a^2 - square, where `square` is a^2 rounded.
template <class T>
TERN_HOST_DEVICE T square_error(T a, T square) {
#if defined(__FMA__) || defined(__CUDA_ARCH__)
  return fma(a, a, -square);
#else
  // The product of the upper halves of the mantissas is exact.
  using Bits = typename FloatTraits<T>::Bits;
  const T high = from_bits(
      static_cast<Bits>(to_bits(a) & (~Bits(0) << (FloatTraits<T>::kMantissaBits / 2 + 1))));
  const T low = a - high;
  return ((high * high - square) + T(2) * high * low) + low * low;
#endif
}

template <class T>
TERN_HOST_DEVICE T erfc(T x) {
  using Bits = typename FloatTraits<T>::Bits;
  constexpr T kHighest = std::is_same_v<T, float> ? T(10.2) : T(27.3);  // the result is 0
  const T a = at_most(abs(x), kHighest);
  const T square = a * a;
  const auto [k, r] = reduce_exp(-square);
  const T e = expm1_reduced(r - square_error(a, square));  // e^r - 1, so that 1 + e is not rounded
  const T t = (a - kErfcCentre<T>) / (a + kErfcCentre<T>);
  // Larger by 2^64 at first, because the result may be denormal.
  const T rest = erfc_scaled(t) / (T(1) + T(2) * a);
  const T scaled = mul_add(e, rest, rest) * power_of_two<T>(static_cast<Bits>(k + 64));
  const T y = scaled * T(0x1p-64), far = x < 0 ? T(2) - y : y;
  return a < T(0.6) ? T(1) - x * erf_small(x * x) : far;
}

/// erfinv(x) / x as polynomials in w = -log(1 - x^2), or in its root for a large w (Giles, 2012).
TERN_HOST_DEVICE float erfinv_near(float w) {
  const float t = w - 2.5f;
  return mul_add(
      w,
      polynomial(t, 0.246072974f, 0.000226924714f, -0.00176172516f, 0.000203594113f, 5.90069286e-6f,
                 -4.34617775e-6f, 3.53215896e-7f, 4.53237453e-8f, -8.82024973e-9f),
      0.886226925f);
}
TERN_HOST_DEVICE double erfinv_near(double w) {
  const double t = w - 3.125;
  return mul_add(
      w,
      polynomial(t, 0.24557684391371035704, -0.0017339716761986699584, -0.0013759037424744014182,
                 0.00020326438665884948307, -5.2896571585571062009e-6, -2.7497171858705864562e-6,
                 4.4295935320497700311e-7, -6.2337834786462925128e-9, -7.3077057959904479227e-9,
                 1.0224227180532159247e-9, 9.2117441986123086661e-12, -2.0276993279318492071e-11,
                 2.336871886610262356e-12, 9.4907409339939756614e-14, -5.6510307098034502416e-14,
                 5.1107592751661076593e-15, 4.9530049516453517341e-16, -1.5194352940405693408e-16,
                 5.4424501817445889425e-18, 1.8357136616802836304e-18, -1.5334368436632264902e-19,
                 -4.9755782231482725815e-21),
      0.88622692545275801365);
}
TERN_HOST_DEVICE float erfinv_far(float root) {
  const float t = root - 3.0f;
  return polynomial(t, 2.8329768f, 1.00167509f, 0.00944568438f, -0.00763941053f, 0.00568317055f,
                    -0.00358698646f, 0.00149586173f, -7.66217503e-5f, -0.000318727612f,
                    0.000128966603f);
}
TERN_HOST_DEVICE double erfinv_middle(double root) {
  const double t = root - 3.25;
  return polynomial(t, 3.0838856104922206321, 1.00525896769416574, 0.0053709145535708871883,
                    -0.0037512085082628601113, 0.0024914420970195933282, -0.001688275534254615314,
                    0.00095328936304947216599, -0.00035503783078813251741,
                    0.000024031263384618018252, 0.000068287248509786517991,
                    -0.00004731901691549883109, 0.000012464434329951282343,
                    2.9258282850695872168e-6, -3.9840802242817398036e-6, 1.4985387012726206224e-6,
                    -3.0261668132195561689e-8, -2.7117973607086667923e-7, 1.3393896745486732078e-7,
                    6.3160546818025805548e-10, -1.6186361601474691618e-8);
}
TERN_HOST_DEVICE double erfinv_far(double root) {
  const double t = root - 5.0;
  return polynomial(t, 4.8499064014085841785, 1.0103004648645461, -0.00013871931835358469652,
                    -0.00021503011986166687943, 0.000075995277390295119169,
                    -0.000019681770254303028381, 4.5260597459534798286e-6, -9.930320371517269592e-7,
                    2.2901590580384933753e-7, -6.75478017040776329e-8, 2.9124554016759438729e-8,
                    -1.5270167051884134527e-8, 7.6430720930442861416e-9, -3.4558585664366037113e-9,
                    1.4909833703564291362e-9, -4.4596341860413012407e-10, -2.298275206773516213e-11,
                    4.474334423974484943e-11);
}

/// -log(1 - x^2); 1 - |x| is exact where that matters.
template <class T>
TERN_HOST_DEVICE T erfinv_argument(T x) {
  const T a = abs(x);
  return -log_of_normal((T(1) - a) * (T(1) + a));
}

/// Up to this limit, erfinv in double needs two of the three polynomials.
TERN_HOST_DEVICE bool erfinv_bounded(double x) { return abs(x) < 1 - 0x1p-24; }
TERN_HOST_DEVICE bool erfinv_bounded(float x) { return abs(x) < 1; }

TERN_HOST_DEVICE float erfinv_bounded_value(float x) {
  const float w = erfinv_argument(x);
  return x * (w < 5.0f ? erfinv_near(w) : erfinv_far(sqrt(w)));
}
TERN_HOST_DEVICE double erfinv_bounded_value(double x) {
  const double w = erfinv_argument(x);
  return x * (w < 6.25 ? erfinv_near(w) : erfinv_middle(sqrt(w)));
}

template <class T>
TERN_HOST_DEVICE_CALL T erfinv(T x) {
  if (erfinv_bounded(x)) return erfinv_bounded_value(x);
  const T a = abs(x);
  if (a < T(1)) return x * erfinv_far(sqrt(erfinv_argument(x)));
  return a == T(1) ? copysign(std::numeric_limits<T>::infinity(), x)
                   : std::numeric_limits<T>::quiet_NaN();
}

}  // namespace tern::kernels::math
