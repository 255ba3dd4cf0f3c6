#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Factorizations of matrices and what they give: float32 and float64, no promotion. The leading
// dimensions of a tensor are its batch. k stands for min(m, n). Eigenvectors and singular vectors
// are unique only up to their sign, and for equal eigenvalues or singular values only up to a
// rotation: the gradient is right for functions that do not depend on that choice.

namespace tern {

/// Returns P, L and U with A = P L U of each matrix, P a permutation, L lower triangular with ones
/// on the diagonal, U upper triangular. P has no gradient. Throws NotImplementedError unless
/// `pivot` is true.
///
/// Shape: [..., m, n] -> ([..., m, m], [..., m, k], [..., k, n])
TERN_API std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, StrictBool pivot = true);
/// Returns L and U in one matrix, without the diagonal of L, and the pivots: in step i, row i and
/// row pivots[i] - 1 changed places. int32 pivots.
///
/// Shape: [..., m, n] -> ([..., m, n], [..., k])
TERN_API std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, StrictBool pivot = true);
/// Returns X with A X = B, or with X A = B if `left` is false, of the result of
/// linalg_lu_factor(A). With `adjoint` A^T takes the place of A. The batches broadcast.
///
/// Shape: LU [..., n, n], pivots [..., n], B [..., n, k] -> [..., n, k]
TERN_API Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                                StrictBool left = true, StrictBool adjoint = false);
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
/// their columns and rows from k on have no gradient.
///
/// Shape: [..., m, n] -> ([..., m, m], [..., k], [..., n, n]); without `full_matrices`
/// ([..., m, k], [..., k], [..., k, n])
TERN_API std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A,
                                                       StrictBool full_matrices = true);
/// Returns the singular values alone, as linalg_svd().
TERN_API Tensor linalg_svdvals(const Tensor& A);
/// Returns U, S and V (not V^T), as linalg_svd() without `full_matrices`; with `some` = false, U
/// and V are square, and without `compute_uv` they are zero and have no gradient.
TERN_API std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, StrictBool some = true,
                                                StrictBool compute_uv = true);
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
/// Returns the solution X of smallest norm that minimizes |A X - B|, the sums of the squares of the
/// residuals (empty unless m > n and A has full rank), the rank of A and its singular values.
/// Singular values up to `rcond` (by default epsilon * max(m, n)) times the largest count as 0.
/// `driver` is a name of LAPACK and changes nothing but which results are filled: "gelsy" (the
/// default, no singular values), "gels" (no rank either; A has full rank), "gelsd" and "gelss".
///
/// Shape: A [..., m, n], B [..., m, k] or [..., m] -> ([..., n, k], [..., k], [...], [..., k])
TERN_API std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(
    const Tensor& A, const Tensor& B, std::optional<double> rcond = std::nullopt,
    std::optional<std::string_view> driver = std::nullopt);
/// Returns the pseudoinverse of each matrix (Moore and Penrose). Singular values up to
/// max(atol, rtol * largest) count as 0; rtol is epsilon * max(m, n) by default, or 0 if `atol` is
/// given. `hermitian` says that the matrices are symmetric.
///
/// Shape: [..., m, n] -> [..., n, m]
TERN_API Tensor linalg_pinv(const Tensor& A, std::optional<double> atol = std::nullopt,
                            std::optional<double> rtol = std::nullopt,
                            StrictBool hermitian = false);
TERN_API Tensor linalg_pinv(const Tensor& A, double rcond, StrictBool hermitian = false);
/// Returns the pseudoinverse of each matrix, as linalg_pinv() with `rcond` as rtol.
TERN_API Tensor pinverse(const Tensor& self, double rcond = 1e-15);
/// Returns the number of singular values above max(atol, rtol * largest), int64; the defaults are
/// those of linalg_pinv(). `hermitian` says that the matrices are symmetric.
///
/// Shape: [..., m, n] -> [...]
TERN_API Tensor linalg_matrix_rank(const Tensor& A, std::optional<double> atol = std::nullopt,
                                   std::optional<double> rtol = std::nullopt,
                                   StrictBool hermitian = false);
TERN_API Tensor linalg_matrix_rank(const Tensor& A, double tol, StrictBool hermitian = false);
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

}  // namespace tern
