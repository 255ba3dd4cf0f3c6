#pragma once

#include <tern/core/tensor/tensor.h>

// Square roots and polar decompositions of matrices; see factor.h for dtypes and batches.

namespace tern {

/// Returns the symmetric X with X X = A of each symmetric positive definite matrix. Only the lower
/// triangle is read; negative eigenvalues count as 0. Throws as linalg_eigh() does.
///
/// Shape: [..., n, n] -> [..., n, n]
TERN_API Tensor linalg_matrix_sqrth(const Tensor& A);
/// Returns the polar decomposition A = U H of each matrix: U has orthonormal columns, H is
/// symmetric and positive semidefinite. The gradient needs matrices of full rank. Throws ShapeError
/// for fewer rows than columns.
///
/// Shape: [..., m, n] -> ([..., m, n], [..., n, n])
TERN_API std::tuple<Tensor, Tensor> linalg_polar(const Tensor& A);

}  // namespace tern
