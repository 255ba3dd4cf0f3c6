#pragma once

#include <tern/core/tensor/tensor.h>

// Products of tensors over chosen dimensions.

namespace tern {

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

/// Returns the sums of products over the dimensions `dims_self` of `self` and `dims_other` of
/// `other`, which must have equal sizes. Dimensions of size 1 broadcast. Throws Error for lists of
/// different lengths and ShapeError for different sizes.
///
/// Shape: the other dimensions of `self`, then those of `other`
TERN_API Tensor tensordot(const Tensor& input, const Tensor& other, IntArrayRef dims_self,
                          IntArrayRef dims_other);
/// Returns the sums of products over the last `dims` dimensions of `input` and the first of
/// `other`. Throws Error for a negative number.
TERN_API Tensor tensordot(const Tensor& input, const Tensor& other, StrictInt dims = 2);
/// Returns the Kronecker product: each element of `self` times all of `other`. The tensor with
/// fewer dimensions gets dimensions of size 1 in front. Promotes dtypes.
///
/// Shape: [a, b] x [c, d] -> [a c, b d]
TERN_API Tensor kron(const Tensor& self, const Tensor& other);
/// Returns the cross products of vectors of three elements along `dim`; by default along the first
/// dimension of size 3. Other dimensions broadcast. Throws ShapeError unless the dimension has
/// size 3, and DTypeError when the dtypes differ.
///
/// Shape: [.., 3, ..] x [.., 3, ..] -> [.., 3, ..]
TERN_API Tensor cross(const Tensor& self, const Tensor& other,
                      std::optional<StrictInt> dim = std::nullopt);
/// Returns the cross products along `dim`, as cross(), for tensors of equal rank.
TERN_API Tensor linalg_cross(const Tensor& input, const Tensor& other, StrictInt dim = -1);
/// Returns the sums of products along `dim`; other dimensions broadcast.
TERN_API Tensor linalg_vecdot(const Tensor& x, const Tensor& y, StrictInt dim = -1);
/// Returns the matrix multiplied n times by itself: the identity for n = 0, powers of the inverse
/// for n < 0. Throws ShapeError unless the matrices are square.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor matrix_power(const Tensor& self, StrictInt n);
/// Returns the power of each matrix, as matrix_power().
TERN_API Tensor linalg_matrix_power(const Tensor& A, StrictInt n);
/// Returns x1^T W_k x2 + bias_k of each pair of vectors, for each matrix W_k of `weight`. `bias`
/// may be undefined.
///
/// Shape: input1 [..., in1], input2 [..., in2], weight [out, in1, in2], bias [out] -> [..., out]
TERN_API Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                         const Tensor& bias = {});

}  // namespace tern
