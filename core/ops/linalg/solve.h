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
/// Returns the inverses as linalg_inv() does, NaN for a singular matrix, and for each matrix 0 or
/// the number of the diagonal element that is 0, as int32. Does not wait for the device. Throws for
/// a singular matrix if `check_errors` is true.
///
/// Shape: [..., n, n] -> ([..., n, n], [...])
TERN_API std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, StrictBool check_errors = false);
/// Returns X with A X = B, or with X A = B if `left` is false, without making an inverse. The
/// batches of A and B broadcast. B is a batch of vectors if it has one dimension or the shape of A
/// without its last dimension. Throws Error for a singular A, ShapeError for sizes that do not fit,
/// DTypeError when the dtypes differ, NotImplementedError for other dtypes than float32 and
/// float64.
///
/// Shape: A [..., n, n], B [..., n, k] -> [..., n, k]; B [..., n] -> [..., n]; without `left`,
/// B [..., k, n] -> [..., k, n]
TERN_API Tensor linalg_solve(const Tensor& A, const Tensor& B, StrictBool left = true);
/// Returns the solutions as linalg_solve() does, infinities and NaN for a singular matrix, and for
/// each matrix 0 or the number of the diagonal element that is 0, as int32. Does not wait for the
/// device. Throws for a singular matrix if `check_errors` is true.
///
/// Shape: A [..., n, n], B [..., n, k] -> ([..., n, k], [...])
TERN_API std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B,
                                                    StrictBool left = true,
                                                    StrictBool check_errors = false);
/// Returns the lower triangular L with A = L L^T of each symmetric positive definite matrix, or the
/// upper triangular L^T if `upper` is true. Only that triangle of A is read; the gradient is
/// symmetric. Throws Error for a matrix that is not positive definite, and as linalg_inv() does.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor linalg_cholesky(const Tensor& A, StrictBool upper = false);
/// Returns the factors as linalg_cholesky() does, of any value for a matrix that is not positive
/// definite, and for each matrix 0 or the order of the leading minor that is not, as int32. Does
/// not wait for the device. Throws for such a matrix if `check_errors` is true.
///
/// Shape: [..., n, n] -> ([..., n, n], [...])
TERN_API std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, StrictBool upper = false,
                                                       StrictBool check_errors = false);
/// Returns the determinant of each matrix. Throws ShapeError and NotImplementedError as
/// linalg_inv() does.
///
/// Shape: [..., n, n] -> [...]
TERN_API Tensor linalg_det(const Tensor& A);
/// Returns the inverse of each matrix, as linalg_inv().
TERN_API Tensor inverse(const Tensor& self);
/// Returns the determinant of each matrix, as linalg_det().
TERN_API Tensor det(const Tensor& self);

}  // namespace tern
