#pragma once

#include <tern/core/tensor/tensor.h>

// Equations, inverses, determinants and functions of matrices: float32 and float64, no promotion.
// The leading dimensions of a tensor are its batch. A matrix that has no result is an error, for
// which an op waits for its device; only the determinant always has one.

namespace tern {

/// Returns the inverse of each matrix. Throws Error for a singular matrix, ShapeError unless the
/// matrices are square, NotImplementedError for other dtypes than float32 and float64.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor linalg_inv(const Tensor& A);
/// Returns X with A X = B, or with X A = B if `left` is false, without making an inverse. The
/// batches of A and B broadcast. B is a batch of vectors if it has one dimension or the shape of A
/// without its last dimension. Throws Error for a singular A, ShapeError for sizes that do not fit,
/// DTypeError when the dtypes differ, NotImplementedError for other dtypes than float32 and
/// float64.
///
/// Shape: A [..., n, n], B [..., n, k] -> [..., n, k]; B [..., n] -> [..., n]; without `left`,
/// B [..., k, n] -> [..., k, n]
TERN_API Tensor linalg_solve(const Tensor& A, const Tensor& B, StrictBool left = true);
/// Returns the lower triangular L with A = L L^T of each symmetric positive definite matrix, or the
/// upper triangular L^T if `upper` is true. Only that triangle of A is read; the gradient is
/// symmetric. Throws Error for a matrix that is not positive definite, and as linalg_inv() does.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor linalg_cholesky(const Tensor& A, StrictBool upper = false);
/// Returns the determinant of each matrix. Throws ShapeError and NotImplementedError as
/// linalg_inv() does.
///
/// Shape: [..., n, n] -> [...]
TERN_API Tensor linalg_det(const Tensor& A);
/// Returns the inverse of each matrix, as linalg_inv().
TERN_API Tensor inverse(const Tensor& self);
/// Returns the determinant of each matrix, as linalg_det().
TERN_API Tensor det(const Tensor& self);
/// Returns the sign and the logarithm of the absolute value of each determinant; 0 and -infinity
/// for a singular matrix. Does not overflow as linalg_det() may. Throws as linalg_det() does.
///
/// Shape: [..., n, n] -> ([...], [...])
TERN_API std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A);
/// Returns sign and logarithm of each determinant, as linalg_slogdet().
TERN_API std::tuple<Tensor, Tensor> slogdet(const Tensor& self);
/// Returns the logarithm of each determinant: NaN if it is negative.
///
/// Shape: [..., n, n] -> [...]
TERN_API Tensor logdet(const Tensor& self);
/// Returns X with A X = B, or with X A = B if `left` is false, where A is triangular. Only the
/// triangle of A that `upper` names is read; with `unitriangular` its diagonal counts as 1. The
/// batches broadcast. A zero on the diagonal gives infinities and NaN. Throws ShapeError for sizes
/// that do not fit, Error when the dtypes differ.
///
/// Shape: A [..., n, n], B [..., n, k] -> [..., n, k]; without `left`, B [..., k, n] -> [..., k, n]
TERN_API Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, StrictBool upper,
                                        StrictBool left = true, StrictBool unitriangular = false);
/// Returns X with A X = self, where `factor` is the Cholesky factor of A: L, or L^T if `upper` is
/// true. The batches broadcast.
///
/// Shape: self [..., n, k], factor [..., n, n] -> [..., n, k]
TERN_API Tensor cholesky_solve(const Tensor& self, const Tensor& factor, StrictBool upper = false);
/// Returns the inverse of A, of which `self` is the Cholesky factor: L, or L^T if `upper` is true.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor cholesky_inverse(const Tensor& self, StrictBool upper = false);
/// Returns e^A of each square matrix, by a Taylor polynomial of degree 16 and repeated squaring.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor linalg_matrix_exp(const Tensor& A);
/// Returns e^A of each square matrix, as linalg_matrix_exp().
TERN_API Tensor matrix_exp(const Tensor& self);
/// Returns the inverse of a tensor as of the matrix that has the first `ind` dimensions as rows and
/// the others as columns. Throws ShapeError if that matrix is not square.
///
/// Shape: [a.., b..] -> [b.., a..]
TERN_API Tensor linalg_tensorinv(const Tensor& A, StrictInt ind = 2);
/// Returns X with tensordot(A, X, X.dim()) = B. `dims` lists dimensions of A that move to its end
/// first. Throws ShapeError if A is no square matrix from X to B.
///
/// Shape: A [b.., x..], B [b..] -> [x..]
TERN_API Tensor linalg_tensorsolve(const Tensor& A, const Tensor& B,
                                   std::optional<IntArrayRef> dims = std::nullopt);
/// Returns the powers 0 to N - 1 of each element as a new last dimension; N is the number of
/// elements of the last dimension by default.
///
/// Shape: [..., n] -> [..., n, N]
TERN_API Tensor linalg_vander(const Tensor& x, std::optional<StrictInt> N = std::nullopt);
/// Returns the powers N - 1 to 0 of each element of a vector as a row, or 0 to N - 1 if
/// `increasing` is true.
///
/// Shape: [n] -> [n, N]
TERN_API Tensor vander(const Tensor& x, std::optional<StrictInt> N = std::nullopt,
                       StrictBool increasing = false);

}  // namespace tern
