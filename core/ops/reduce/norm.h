#pragma once

#include <tern/core/tensor/tensor.h>

// Norms of vectors and matrices.

namespace tern {

/// Returns the p-norm of all elements, or over the dimensions `dim` (all if empty); with `keepdim`
/// they stay with size 1. p is 2 by default; infinity is the largest magnitude, -infinity the
/// smallest, 0 counts the elements that are not 0. With `dtype`, `self` is converted first. The
/// gradient is 0 where the norm is 0, and there is none for p = 0. Throws DTypeError unless the
/// dtypes are floating point or if `dtype` is narrower than that of `self`, Error for no elements
/// if p is negative or infinite.
TERN_API Tensor norm(const Tensor& self);
TERN_API Tensor norm(const Tensor& self, const Scalar& p);
TERN_API Tensor norm(const Tensor& self, const std::optional<Scalar>& p, ScalarType dtype);
TERN_API Tensor norm(const Tensor& self, const std::optional<Scalar>& p, IntArrayRef dim,
                     StrictBool keepdim = false, std::optional<ScalarType> dtype = std::nullopt);
/// Returns the norm of order `ord` of vectors, as norm() does.
TERN_API Tensor linalg_vector_norm(const Tensor& x, const Scalar& ord = 2, IntArrayRef dim = {},
                                   StrictBool keepdim = false,
                                   std::optional<ScalarType> dtype = std::nullopt);
/// Returns the p-norm of self - other over all elements, as norm().
///
/// Shape: any -> []
TERN_API Tensor dist(const Tensor& self, const Tensor& other, const Scalar& p = 2);
/// Returns a copy in which every slice of dimension `dim` whose p-norm exceeds `maxnorm` is scaled
/// down to that norm: by maxnorm / (norm + 1e-7). Throws Error for fewer than two dimensions, p <=
/// 0 or a negative `maxnorm`, DTypeError for integers.
///
/// Example:
///   weight.renorm_(2, 0, 1);  // no row is longer than 1
TERN_API Tensor renorm(const Tensor& self, const Scalar& p, StrictInt dim, const Scalar& maxnorm);
TERN_API Tensor& renorm_(Tensor& self, const Scalar& p, StrictInt dim, const Scalar& maxnorm);
/// Does the same in place to the rows of the matrix `weight` that the integers `indices` name, in
/// the norm of order `norm_type`. Throws ShapeError unless `weight` is a matrix, IndexError for an
/// index out of range.
TERN_API Tensor& embedding_renorm_(Tensor& weight, const Tensor& indices, double max_norm,
                                   double norm_type);

/// Returns the p-norm of x1 - x2 + eps over the last dimension; the others broadcast.
///
/// Shape: [..., m] x [..., m] -> [...]; [..., 1] with keepdim
TERN_API Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2,
                                  double eps = 1e-6, StrictBool keepdim = false);

}  // namespace tern
