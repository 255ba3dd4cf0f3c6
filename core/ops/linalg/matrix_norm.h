#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Norms and condition numbers of matrices.

namespace tern {

/// Returns the norm of each matrix: `ord` is "fro" (all squares), "nuc" (sum of the singular
/// values), 2 and -2 (the largest and the smallest singular value), 1 and -1 (the largest and the
/// smallest sum of a column's magnitudes), infinity and -infinity (of a row's). `dim` names the
/// dimensions of rows and columns. Floating dtypes; float32 and float64 for singular values.
///
/// Shape: [..., m, n] -> [...]; [..., 1, 1] with keepdim
TERN_API Tensor linalg_matrix_norm(const Tensor& A, std::string_view ord = "fro",
                                   IntArrayRef dim = {-2, -1}, StrictBool keepdim = false,
                                   std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor linalg_matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
                                   StrictBool keepdim = false,
                                   std::optional<ScalarType> dtype = std::nullopt);
/// Returns the condition number |A| |A^-1| of each matrix in a norm of linalg_matrix_norm(); the
/// default 2 takes matrices that are not square. Infinity for a singular matrix.
///
/// Shape: [..., n, n] -> [...]
TERN_API Tensor linalg_cond(const Tensor& A, const std::optional<Scalar>& p = std::nullopt);
TERN_API Tensor linalg_cond(const Tensor& A, std::string_view p);
/// Returns the norm of vectors or of matrices: of all elements without `ord` and `dim`, of vectors
/// along one dimension, of matrices in two dimensions. Without `dim`, A with an `ord` has one or
/// two dimensions. `ord` is that of linalg_vector_norm() or linalg_matrix_norm(). Throws Error for
/// other numbers of dimensions.
///
/// Example:
///   linalg_norm(A, "fro", {0, 1});
TERN_API Tensor linalg_norm(const Tensor& A, const std::optional<Scalar>& ord = std::nullopt,
                            OptionalIntArrayRef dim = std::nullopt, StrictBool keepdim = false,
                            std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor linalg_norm(const Tensor& A, std::string_view ord,
                            OptionalIntArrayRef dim = std::nullopt, StrictBool keepdim = false,
                            std::optional<ScalarType> dtype = std::nullopt);

}  // namespace tern
