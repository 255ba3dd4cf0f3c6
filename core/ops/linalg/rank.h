#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Ranks, pseudo-inverses and least squares; see factor.h for dtypes and batches.

namespace tern {

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

}  // namespace tern
