#pragma once

#include <tern/core/ops/linalg.h>
#include <tern/core/ops/linalg_factor.h>
#include <tern/core/ops/matmul.h>
#include <tern/core/ops/products.h>

// The names of libtorch's `torch::linalg`.

/// The names of libtorch's `torch::linalg`.
namespace tern::linalg {

/// Returns the inverse of each matrix, as linalg_inv().
inline Tensor inv(const Tensor& A) { return linalg_inv(A); }
/// Returns X with A X = B, or with X A = B if `left` is false, as linalg_solve().
inline Tensor solve(const Tensor& A, const Tensor& B, StrictBool left = true) {
  return linalg_solve(A, B, left);
}
/// Returns X with A X = B for a triangular A, as linalg_solve_triangular().
inline Tensor solve_triangular(const Tensor& A, const Tensor& B, StrictBool upper,
                               StrictBool left = true, StrictBool unitriangular = false) {
  return linalg_solve_triangular(A, B, upper, left, unitriangular);
}
/// Returns the Cholesky factor of each matrix, as linalg_cholesky().
inline Tensor cholesky(const Tensor& A, StrictBool upper = false) {
  return linalg_cholesky(A, upper);
}
/// Returns the determinant of each matrix, as linalg_det().
inline Tensor det(const Tensor& A) { return linalg_det(A); }
/// Returns sign and logarithm of each determinant, as linalg_slogdet().
inline std::tuple<Tensor, Tensor> slogdet(const Tensor& A) { return linalg_slogdet(A); }
/// Returns P, L and U of each matrix, as linalg_lu().
inline std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& A, StrictBool pivot = true) {
  return linalg_lu(A, pivot);
}
/// Returns L and U in one matrix, and the pivots, as linalg_lu_factor().
inline std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, StrictBool pivot = true) {
  return linalg_lu_factor(A, pivot);
}
/// Solves equations by the result of lu_factor(), as linalg_lu_solve().
inline Tensor lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                       StrictBool left = true, StrictBool adjoint = false) {
  return linalg_lu_solve(LU, pivots, B, left, adjoint);
}
/// Returns Q and R of each matrix, as linalg_qr().
inline std::tuple<Tensor, Tensor> qr(const Tensor& A, std::string_view mode = "reduced") {
  return linalg_qr(A, mode);
}
/// Returns eigenvalues and eigenvectors of each symmetric matrix, as linalg_eigh().
inline std::tuple<Tensor, Tensor> eigh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg_eigh(A, UPLO);
}
/// Returns the eigenvalues of each symmetric matrix, as linalg_eigvalsh().
inline Tensor eigvalsh(const Tensor& A, std::string_view UPLO = "L") {
  return linalg_eigvalsh(A, UPLO);
}
/// Returns U, S and V^T of each matrix, as linalg_svd().
inline std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& A, StrictBool full_matrices = true) {
  return linalg_svd(A, full_matrices);
}
/// Returns the singular values of each matrix, as linalg_svdvals().
inline Tensor svdvals(const Tensor& A) { return linalg_svdvals(A); }
/// Returns the least-squares solution, residuals, rank and singular values, as linalg_lstsq().
inline std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(
    const Tensor& A, const Tensor& B, std::optional<double> rcond = std::nullopt,
    std::optional<std::string_view> driver = std::nullopt) {
  return linalg_lstsq(A, B, rcond, driver);
}
/// Returns the pseudoinverse of each matrix, as linalg_pinv().
inline Tensor pinv(const Tensor& A, std::optional<double> atol = std::nullopt,
                   std::optional<double> rtol = std::nullopt, StrictBool hermitian = false) {
  return linalg_pinv(A, atol, rtol, hermitian);
}
/// Returns the pseudoinverse of each matrix with `rcond` as rtol, as linalg_pinv().
inline Tensor pinv(const Tensor& A, double rcond, StrictBool hermitian = false) {
  return linalg_pinv(A, rcond, hermitian);
}
/// Returns the rank of each matrix, as linalg_matrix_rank().
inline Tensor matrix_rank(const Tensor& A, std::optional<double> atol = std::nullopt,
                          std::optional<double> rtol = std::nullopt, StrictBool hermitian = false) {
  return linalg_matrix_rank(A, atol, rtol, hermitian);
}
/// Returns the number of singular values above `tol`, as linalg_matrix_rank().
inline Tensor matrix_rank(const Tensor& A, double tol, StrictBool hermitian = false) {
  return linalg_matrix_rank(A, tol, hermitian);
}
/// Returns the norm of each matrix, as linalg_matrix_norm().
inline Tensor matrix_norm(const Tensor& A, std::string_view ord = "fro", IntArrayRef dim = {-2, -1},
                          StrictBool keepdim = false,
                          std::optional<ScalarType> dtype = std::nullopt) {
  return linalg_matrix_norm(A, ord, dim, keepdim, dtype);
}
/// Returns the norm of each matrix, as linalg_matrix_norm().
inline Tensor matrix_norm(const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
                          StrictBool keepdim = false,
                          std::optional<ScalarType> dtype = std::nullopt) {
  return linalg_matrix_norm(A, ord, dim, keepdim, dtype);
}
/// Returns the condition number of each matrix, as linalg_cond().
inline Tensor cond(const Tensor& A, const std::optional<Scalar>& p = std::nullopt) {
  return linalg_cond(A, p);
}
/// Returns the condition number of each matrix, as linalg_cond().
inline Tensor cond(const Tensor& A, std::string_view p) { return linalg_cond(A, p); }
/// Returns e^A of each matrix, as linalg_matrix_exp().
inline Tensor matrix_exp(const Tensor& A) { return linalg_matrix_exp(A); }
/// Returns the power of each matrix, as matrix_power().
inline Tensor matrix_power(const Tensor& A, StrictInt n) { return linalg_matrix_power(A, n); }
/// Returns the matrix product, as tern::matmul().
inline Tensor matmul(const Tensor& input, const Tensor& other) {
  return tern::matmul(input, other);
}
/// Returns the product of several matrices, as linalg_multi_dot().
inline Tensor multi_dot(TensorList tensors) { return linalg_multi_dot(tensors); }
/// Returns the cross products along `dim`, as linalg_cross().
inline Tensor cross(const Tensor& input, const Tensor& other, StrictInt dim = -1) {
  return linalg_cross(input, other, dim);
}
/// Returns the sums of products along `dim`, as linalg_vecdot().
inline Tensor vecdot(const Tensor& x, const Tensor& y, StrictInt dim = -1) {
  return linalg_vecdot(x, y, dim);
}
/// Returns the inverse of a tensor as of a matrix, as linalg_tensorinv().
inline Tensor tensorinv(const Tensor& A, StrictInt ind = 2) { return linalg_tensorinv(A, ind); }
/// Solves equations of tensors, as linalg_tensorsolve().
inline Tensor tensorsolve(const Tensor& A, const Tensor& B,
                          std::optional<IntArrayRef> dims = std::nullopt) {
  return linalg_tensorsolve(A, B, dims);
}
/// Returns the powers of each element, as linalg_vander().
inline Tensor vander(const Tensor& x, std::optional<StrictInt> N = std::nullopt) {
  return linalg_vander(x, N);
}

}  // namespace tern::linalg
