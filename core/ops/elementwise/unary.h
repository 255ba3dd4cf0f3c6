#pragma once

#include <tern/core/tensor/tensor.h>

// Elementwise ops of one tensor x. They take the tensor by value: the result reuses the memory of a
// temporary that nobody else holds. Ops of real numbers, such as exp(), convert integers to the
// default dtype; their in-place forms throw DTypeError for integers.

namespace tern {

/// Returns -x. Throws Error for bool tensors.
TERN_API Tensor neg(Tensor self);
TERN_API Tensor& neg_(Tensor& self);
/// Returns the absolute value. The gradient is 0 at 0.
TERN_API Tensor abs(Tensor self);
TERN_API Tensor& abs_(Tensor& self);
/// Returns -1, 0 or 1; 0 for NaN.
TERN_API Tensor sign(Tensor self);
TERN_API Tensor& sign_(Tensor& self);
/// Same as sign().
TERN_API Tensor sgn(const Tensor& self);
TERN_API Tensor& sgn_(Tensor& self);
/// Returns `self` itself. Throws NotImplementedError for bool tensors.
TERN_API Tensor positive(const Tensor& self);
/// Returns x^2.
TERN_API Tensor square(Tensor self);
TERN_API Tensor& square_(Tensor& self);
/// Returns the largest integer <= x.
TERN_API Tensor floor(Tensor self);
TERN_API Tensor& floor_(Tensor& self);
/// Returns the smallest integer >= x.
TERN_API Tensor ceil(Tensor self);
TERN_API Tensor& ceil_(Tensor& self);
/// Returns the nearest integer; a half is rounded to the even integer.
TERN_API Tensor round(Tensor self);
TERN_API Tensor& round_(Tensor& self);
/// Returns x rounded to `decimals` digits after the point; to tens, hundreds, .. for a negative
/// number of digits. Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor round(const Tensor& self, std::int64_t decimals);
TERN_API Tensor& round_(Tensor& self, std::int64_t decimals);
/// Returns the integer part of x.
TERN_API Tensor trunc(Tensor self);
TERN_API Tensor& trunc_(Tensor& self);
/// Returns x - trunc(x). Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor frac(Tensor self);
TERN_API Tensor& frac_(Tensor& self);
/// Returns max(x, 0). The gradient is 0 at 0.
TERN_API Tensor relu(Tensor self);
TERN_API Tensor& relu_(Tensor& self);
/// Returns e^x.
TERN_API Tensor exp(Tensor self);
TERN_API Tensor& exp_(Tensor& self);
/// Returns 2^x.
TERN_API Tensor exp2(Tensor self);
TERN_API Tensor& exp2_(Tensor& self);
/// Returns e^x - 1, accurate near 0.
TERN_API Tensor expm1(Tensor self);
TERN_API Tensor& expm1_(Tensor& self);
/// Returns the natural logarithm.
TERN_API Tensor log(Tensor self);
TERN_API Tensor& log_(Tensor& self);
/// Returns the logarithm to base 2.
TERN_API Tensor log2(Tensor self);
TERN_API Tensor& log2_(Tensor& self);
/// Returns the logarithm to base 10.
TERN_API Tensor log10(Tensor self);
TERN_API Tensor& log10_(Tensor& self);
/// Returns ln(1 + x), accurate near 0.
TERN_API Tensor log1p(Tensor self);
TERN_API Tensor& log1p_(Tensor& self);
/// Returns the square root. The gradient is infinite at 0.
TERN_API Tensor sqrt(Tensor self);
TERN_API Tensor& sqrt_(Tensor& self);
/// Returns 1 / sqrt(x).
TERN_API Tensor rsqrt(Tensor self);
TERN_API Tensor& rsqrt_(Tensor& self);
/// Returns 1 / x.
TERN_API Tensor reciprocal(Tensor self);
TERN_API Tensor& reciprocal_(Tensor& self);
/// Returns the sine of radians.
TERN_API Tensor sin(Tensor self);
TERN_API Tensor& sin_(Tensor& self);
/// Returns the cosine of radians.
TERN_API Tensor cos(Tensor self);
TERN_API Tensor& cos_(Tensor& self);
/// Returns the tangent of radians.
TERN_API Tensor tan(Tensor self);
TERN_API Tensor& tan_(Tensor& self);
/// Returns the angle in [-pi/2, pi/2] whose sine is x; NaN unless |x| <= 1.
TERN_API Tensor asin(Tensor self);
TERN_API Tensor& asin_(Tensor& self);
/// Returns the angle in [0, pi] whose cosine is x; NaN unless |x| <= 1.
TERN_API Tensor acos(Tensor self);
TERN_API Tensor& acos_(Tensor& self);
/// Returns the angle in [-pi/2, pi/2] whose tangent is x.
TERN_API Tensor atan(Tensor self);
TERN_API Tensor& atan_(Tensor& self);
/// Returns the hyperbolic sine.
TERN_API Tensor sinh(Tensor self);
TERN_API Tensor& sinh_(Tensor& self);
/// Returns the hyperbolic cosine.
TERN_API Tensor cosh(Tensor self);
TERN_API Tensor& cosh_(Tensor& self);
/// Returns the hyperbolic tangent.
TERN_API Tensor tanh(Tensor self);
TERN_API Tensor& tanh_(Tensor& self);
/// Returns the number whose hyperbolic sine is x.
TERN_API Tensor asinh(Tensor self);
TERN_API Tensor& asinh_(Tensor& self);
/// Returns the number >= 0 whose hyperbolic cosine is x; NaN for x < 1.
TERN_API Tensor acosh(Tensor self);
TERN_API Tensor& acosh_(Tensor& self);
/// Returns the number whose hyperbolic tangent is x; NaN unless |x| <= 1.
TERN_API Tensor atanh(Tensor self);
TERN_API Tensor& atanh_(Tensor& self);
/// Returns x degrees in radians.
TERN_API Tensor deg2rad(const Tensor& self);
TERN_API Tensor& deg2rad_(Tensor& self);
/// Returns x radians in degrees.
TERN_API Tensor rad2deg(const Tensor& self);
TERN_API Tensor& rad2deg_(Tensor& self);
/// Returns 1 / (1 + e^-x).
TERN_API Tensor sigmoid(Tensor self);
TERN_API Tensor& sigmoid_(Tensor& self);

}  // namespace tern
