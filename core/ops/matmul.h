#pragma once

#include <tern/core/tensor/tensor.h>

// Products of matrices. Dtypes must agree: this family does not promote.

namespace tern {

/// Product over the last dimension of `self` and the second last of `other`; leading dimensions
/// broadcast, 1-d operands act as a row or a column. Shape: [..., m, k] x [..., k, n] -> [..., m,
/// n].
TERN_API Tensor matmul(const Tensor& self, const Tensor& other);
/// [m, k] x [k, n] -> [m, n].
TERN_API Tensor mm(const Tensor& self, const Tensor& other);
/// [b, m, k] x [b, k, n] -> [b, m, n].
TERN_API Tensor bmm(const Tensor& self, const Tensor& other);
/// [m, k] x [k] -> [m].
TERN_API Tensor mv(const Tensor& self, const Tensor& vector);
/// [k] x [k] -> [].
TERN_API Tensor dot(const Tensor& self, const Tensor& other);
/// beta * input + alpha * a x b; input broadcasts to [m, n].
TERN_API Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                      const Scalar& alpha = 1);
/// input x weight^T + bias, with the bias added in the product's own pass.
/// Shape: [..., in] , [out, in] , [out] or undefined -> [..., out].
TERN_API Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

}  // namespace tern
