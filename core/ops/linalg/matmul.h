#pragma once

#include <tern/core/tensor/tensor.h>

// Matrix products. Dtypes must agree: these ops do not promote.

namespace tern {

/// Returns the matrix product over the last dimension of `self` and the second last of `other`.
/// Leading dimensions broadcast; a 1-d `self` acts as a row, a 1-d `other` as a column. Throws
/// ShapeError when the inner sizes differ, DTypeError when the dtypes differ.
///
/// Shape: [..., m, k] x [..., k, n] -> [..., m, n]
TERN_API Tensor matmul(const Tensor& self, const Tensor& other);
/// Returns the product of two matrices. Throws ShapeError and DTypeError as matmul() does.
///
/// Shape: [m, k] x [k, n] -> [m, n]
TERN_API Tensor mm(const Tensor& self, const Tensor& other);
/// Returns the products of b pairs of matrices. Throws ShapeError and DTypeError as matmul() does.
///
/// Shape: [b, m, k] x [b, k, n] -> [b, m, n]
TERN_API Tensor bmm(const Tensor& self, const Tensor& other);
/// Returns the product of a matrix and a vector. Throws ShapeError and DTypeError as matmul() does.
///
/// Shape: [m, k] x [k] -> [m]
TERN_API Tensor mv(const Tensor& self, const Tensor& vector);
/// Returns the inner product of two vectors as a 0-d tensor. Throws ShapeError and DTypeError as
/// matmul() does.
///
/// Shape: [k] x [k] -> []
TERN_API Tensor dot(const Tensor& self, const Tensor& other);
/// Returns the inner product of two vectors, as dot().
TERN_API Tensor vdot(const Tensor& self, const Tensor& other);
/// Returns input x weight^T + bias. The kernel of the product adds a bias of [out]; any other bias
/// broadcasts.
///
/// Shape: input [..., in], weight [out, in], bias [out] -> [..., out]; weight [in] -> [...]
TERN_API Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

}  // namespace tern
