#pragma once

#include <tern/core/tensor/tensor.h>

// Householder reflections as LAPACK stores them: reflection number i is 1 - tau_i v_i v_i^T, where
// v_i is column i of a matrix with 1 instead of the diagonal element and 0 above. For dtypes and
// batches see factor.h.

namespace tern {

/// Returns the QR factorization of each matrix as reflections: R in the upper triangle of the first
/// result, the vectors below it, and tau. linalg_qr() returns Q and R as matrices and takes less
/// time. Has no gradient: backward() throws NotImplementedError.
///
/// Shape: [..., m, n] -> ([..., m, n], [..., k]) with k = min(m, n)
TERN_API std::tuple<Tensor, Tensor> geqrf(const Tensor& self);
/// Returns the first n columns of the product of k <= n <= m reflections, as geqrf() returns them.
/// Throws ShapeError and DTypeError for arguments that do not fit.
///
/// Shape: input [..., m, n], tau [..., k] -> [..., m, n]
TERN_API Tensor linalg_householder_product(const Tensor& input, const Tensor& tau);
/// Returns the same as linalg_householder_product().
TERN_API Tensor orgqr(const Tensor& self, const Tensor& input2);
/// Multiplies `input3` by the product Q of the reflections in `self` and `input2`: Q input3, or
/// input3 Q if `left` is false; with `transpose` Q^T takes the place of Q. Throws ShapeError and
/// DTypeError for arguments that do not fit.
///
/// Shape: self [..., m, n], input2 [..., k] with k = min(m, n), input3 [..., m, p] -> [..., m, p];
/// without `left` [..., p, m] -> [..., p, m]
TERN_API Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3,
                      StrictBool left = true, StrictBool transpose = false);

}  // namespace tern
