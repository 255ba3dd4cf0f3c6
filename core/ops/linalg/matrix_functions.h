#pragma once

#include <tern/core/tensor/tensor.h>

// Functions of matrices, and matrices and equations in the shape of tensors; see solve.h for dtypes
// and batches.

namespace tern {

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
                                   OptionalIntArrayRef dims = std::nullopt);
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
