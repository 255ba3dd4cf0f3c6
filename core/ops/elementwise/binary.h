#pragma once

#include <tern/core/tensor/tensor.h>

// Functions of two numbers, elementwise; see arithmetic.h for shapes, dtypes and devices.

namespace tern {

/// Returns the angle of the point (other, self) in (-pi, pi], from the signs of both.
TERN_API Tensor atan2(const Tensor& self, const Tensor& other);
TERN_API Tensor& atan2_(Tensor& self, const Tensor& other);
/// Returns sqrt(self^2 + other^2), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor hypot(const Tensor& self, const Tensor& other);
TERN_API Tensor& hypot_(Tensor& self, const Tensor& other);
/// Returns the magnitude of self with the sign of other.
TERN_API Tensor copysign(const Tensor& self, const Tensor& other);
TERN_API Tensor copysign(const Tensor& self, const Scalar& other);
TERN_API Tensor& copysign_(Tensor& self, const Tensor& other);
TERN_API Tensor& copysign_(Tensor& self, const Scalar& other);
/// Returns log(e^self + e^other), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor logaddexp(const Tensor& self, const Tensor& other);
/// Returns log2(2^self + 2^other), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor logaddexp2(const Tensor& self, const Tensor& other);
/// Returns self * log(other); 0 where self is 0, unless other is NaN.
TERN_API Tensor xlogy(const Tensor& self, const Tensor& other);
TERN_API Tensor xlogy(const Tensor& self, const Scalar& other);
TERN_API Tensor xlogy(const Scalar& self, const Tensor& other);
TERN_API Tensor& xlogy_(Tensor& self, const Tensor& other);
TERN_API Tensor& xlogy_(Tensor& self, const Scalar& other);
/// Returns self * 2^other; exactly for an integer `other`.
TERN_API Tensor ldexp(const Tensor& self, const Tensor& other);
TERN_API Tensor& ldexp_(Tensor& self, const Tensor& other);
/// Returns 0 for negative elements, 1 for positive ones, and `values` for zeros; 0 for NaN. Has no
/// gradient: backward() throws NotImplementedError. Throws DTypeError when the dtypes differ.
TERN_API Tensor heaviside(const Tensor& self, const Tensor& values);
TERN_API Tensor& heaviside_(Tensor& self, const Tensor& values);
/// Returns the number next to self in the direction of `other`; `other` where both are equal.
/// Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor nextafter(const Tensor& self, const Tensor& other);
TERN_API Tensor& nextafter_(Tensor& self, const Tensor& other);
/// Returns the regularized lower incomplete gamma function: the integral of t^(self - 1) e^-t from
/// 0 to `other`, divided by gamma(self). NaN for negative numbers. There is no derivative by self.
/// Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor igamma(const Tensor& self, const Tensor& other);
TERN_API Tensor& igamma_(Tensor& self, const Tensor& other);
/// Returns 1 - igamma(self, other), the regularized upper incomplete gamma function, accurate where
/// it is small.
TERN_API Tensor igammac(const Tensor& self, const Tensor& other);
TERN_API Tensor& igammac_(Tensor& self, const Tensor& other);

}  // namespace tern
