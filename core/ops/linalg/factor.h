#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Factorizations of matrices and what they give: float32 and float64, no promotion. The leading
// dimensions of a tensor are its batch. k stands for min(m, n). Eigenvectors and singular vectors
// are unique only up to their sign, and for equal eigenvalues or singular values only up to a
// rotation: the gradient is right for functions that do not depend on that choice.

namespace tern {

/// Returns Q and R with A = Q R of each matrix: Q has orthonormal columns, R is upper triangular.
/// `mode` is "reduced", "complete" (all m columns of Q) or "r" (Q is empty, without gradient). The
/// signs are those of Householder reflections, as in LAPACK.
///
/// Shape: [..., m, n] -> ([..., m, k], [..., k, n]); complete ([..., m, m], [..., m, n])
TERN_API std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode = "reduced");
/// Returns the eigenvalues of each symmetric matrix, in ascending order, and its eigenvectors as
/// columns. Only the lower triangle is read; with `UPLO` "U" the upper one. Throws Error if the
/// iteration does not converge.
///
/// Shape: [..., n, n] -> ([..., n], [..., n, n])
TERN_API std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view UPLO = "L");
/// Returns the eigenvalues alone, as linalg_eigh().
TERN_API Tensor linalg_eigvalsh(const Tensor& A, std::string_view UPLO = "L");
/// Returns U, S and V^T with A = U diag(S) V^T of each matrix: the columns of U and the rows of V^T
/// are orthonormal, the singular values in S descend. With `full_matrices` U and V^T are square;
/// their columns and rows from k on have no gradient. `driver` is a name of cuSOLVER ("gesvd",
/// "gesvdj", "gesvda") and changes nothing; on the CPU it is an Error.
///
/// Shape: [..., m, n] -> ([..., m, m], [..., k], [..., n, n]); without `full_matrices`
/// ([..., m, k], [..., k], [..., k, n])
TERN_API std::tuple<Tensor, Tensor, Tensor> linalg_svd(
    const Tensor& A, StrictBool full_matrices = true,
    std::optional<std::string_view> driver = std::nullopt);
/// Returns the singular values alone, as linalg_svd().
TERN_API Tensor linalg_svdvals(const Tensor& A,
                               std::optional<std::string_view> driver = std::nullopt);
/// Returns U, S and V (not V^T), as linalg_svd() without `full_matrices`; with `some` = false, U
/// and V are square, and without `compute_uv` they are zero and have no gradient.
TERN_API std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, StrictBool some = true,
                                                StrictBool compute_uv = true);

}  // namespace tern
