#pragma once

#include <tern/core/tensor/tensor.h>

// Equations with triangular matrices and Cholesky factors; see solve.h for dtypes and batches.

namespace tern {

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

}  // namespace tern
