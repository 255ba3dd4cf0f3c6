#pragma once

#include <tern/core/tensor/tensor.h>

// Powers, elementwise; see arithmetic.h for shapes, dtypes and devices.

namespace tern {

/// Returns self to the power of exponent, elementwise. Throws Error for an integer base with a
/// negative integer number as exponent.
TERN_API Tensor pow(const Tensor& self, const Scalar& exponent);
TERN_API Tensor pow(const Tensor& self, const Tensor& exponent);
TERN_API Tensor pow(const Scalar& self, const Tensor& exponent);
TERN_API Tensor& pow_(Tensor& self, const Tensor& exponent);
TERN_API Tensor& pow_(Tensor& self, const Scalar& exponent);
/// Returns self to the power of exponent, computed in float64. The in-place form throws DTypeError
/// unless the tensor is float64.
TERN_API Tensor float_power(const Tensor& self, const Tensor& exponent);
TERN_API Tensor float_power(const Tensor& self, const Scalar& exponent);
TERN_API Tensor float_power(const Scalar& self, const Tensor& exponent);
TERN_API Tensor& float_power_(Tensor& self, const Tensor& exponent);
TERN_API Tensor& float_power_(Tensor& self, const Scalar& exponent);

}  // namespace tern
