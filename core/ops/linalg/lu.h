#pragma once

#include <tern/core/tensor/tensor.h>

// The LU factorization and what it gives; see factor.h for dtypes and batches.

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
/// Returns the factors and the pivots as linalg_lu_factor() does, and for each matrix 0 or the
/// number of the first diagonal element of U that is 0, as int32. Does not wait for the device.
/// Throws for such a matrix if `check_errors` is true.
///
/// Shape: [..., m, n] -> ([..., m, n], [..., k], [...])
TERN_API std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A,
                                                                StrictBool pivot = true,
                                                                StrictBool check_errors = false);
/// Returns P, L and U as linalg_lu() does, from the result of linalg_lu_factor(A). Without
/// `unpack_data` L and U are empty, without `unpack_pivots` P is. Waits for the device. Throws
/// ShapeError, DTypeError and Error for arguments that linalg_lu_factor() does not return.
///
/// Shape: LU_data [..., m, n], LU_pivots [..., k] -> ([..., m, m], [..., m, k], [..., k, n])
TERN_API std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data,
                                                      const Tensor& LU_pivots,
                                                      StrictBool unpack_data = true,
                                                      StrictBool unpack_pivots = true);
/// Returns X with A X = B, or with X A = B if `left` is false, of the result of
/// linalg_lu_factor(A). With `adjoint` A^T takes the place of A. The batches broadcast.
///
/// Shape: LU [..., n, n], pivots [..., n], B [..., n, k] -> [..., n, k]
TERN_API Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B,
                                StrictBool left = true, StrictBool adjoint = false);
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

}  // namespace tern
