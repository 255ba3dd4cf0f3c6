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
/// Returns the products of all pairs of elements of two vectors. Throws ShapeError for tensors of
/// other dimensions.
///
/// Shape: [m] x [n] -> [m, n]
TERN_API Tensor outer(const Tensor& self, const Tensor& vec2);
/// Returns the sums of products over the last dimensions of both tensors. A 0-d tensor multiplies
/// every element. Throws ShapeError when the last sizes differ.
///
/// Shape: [a.., k] x [b.., k] -> [a.., b..]
TERN_API Tensor inner(const Tensor& self, const Tensor& other);
/// Returns beta * self + alpha * (a x b); `self` broadcasts to [m, n]. With beta = 0 `self` is
/// not read, so NaN in it has no effect.
///
/// Shape: self [n], [m, n] or broadcastable; a [m, k]; b [k, n] -> [m, n]
TERN_API Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                      const Scalar& alpha = 1);
TERN_API Tensor& addmm_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                        const Scalar& alpha = 1);
/// Returns beta * self + alpha * (mat x vec); `self` broadcasts to [m]. With beta = 0 `self` is not
/// read.
///
/// Shape: self [m] or broadcastable; mat [m, k]; vec [k] -> [m]
TERN_API Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec,
                      const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                        const Scalar& alpha = 1);
/// Returns beta * self + alpha * outer(vec1, vec2); `self` broadcasts to [m, n]. With beta = 0
/// `self` is not read. Promotes dtypes.
///
/// Shape: self [m, n] or broadcastable; vec1 [m]; vec2 [n] -> [m, n]
TERN_API Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                     const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addr_(Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
                       const Scalar& alpha = 1);
/// Returns beta * self + alpha * bmm(batch1, batch2); `self` broadcasts to [b, m, n]. With beta = 0
/// `self` is not read.
///
/// Shape: self [b, m, n] or broadcastable; batch1 [b, m, k]; batch2 [b, k, n] -> [b, m, n]
TERN_API Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                        const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2,
                          const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha times the sum of the b products in bmm(batch1, batch2); `self`
/// broadcasts to [m, n]. With beta = 0 `self` is not read.
///
/// Shape: self [m, n] or broadcastable; batch1 [b, m, k]; batch2 [b, k, n] -> [m, n]
TERN_API Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                       const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2,
                         const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns input x weight^T + bias. The kernel of the product adds a bias of [out]; any other bias
/// broadcasts.
///
/// Shape: input [..., in], weight [out, in], bias [out] -> [..., out]; weight [in] -> [...]
TERN_API Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

}  // namespace tern
