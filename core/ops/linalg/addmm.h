#pragma once

#include <tern/core/tensor/tensor.h>

// Matrix products added to a tensor. Dtypes must agree: these ops do not promote.

namespace tern {

/// Returns beta * self + alpha * (a x b); `self` broadcasts to [m, n]. With beta = 0 `self` is
/// not read, so NaN in it has no effect.
///
/// Shape: self [n], [m, n] or broadcastable; a [m, k]; b [k, n] -> [m, n]
TERN_API Tensor addmm(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                      const Scalar& alpha = 1);
TERN_API Tensor& addmm_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                        const Scalar& alpha = 1);
/// Returns beta * self + alpha * (mat x vec); `self` broadcasts to [m]. With beta = 0 `self` is not
/// read.
///
/// Shape: self [m] or broadcastable; mat [m, k]; vec [k] -> [m]
TERN_API Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec,
                      const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta = 1,
                        const Scalar& alpha = 1);
/// Returns beta * self + alpha * outer(vec1, vec2); `self` broadcasts to [m, n]. With beta = 0
/// `self` is not read. Promotes dtypes.
///
/// Shape: self [m, n] or broadcastable; vec1 [m]; vec2 [n] -> [m, n]
TERN_API Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2,
                     const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addr_(Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta = 1,
                       const Scalar& alpha = 1);
/// Returns beta * self + alpha * bmm(batch1, batch2); `self` broadcasts to [b, m, n]. With beta = 0
/// `self` is not read.
///
/// Shape: self [b, m, n] or broadcastable; batch1 [b, m, k]; batch2 [b, k, n] -> [b, m, n]
TERN_API Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                        const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2,
                          const Scalar& beta = 1, const Scalar& alpha = 1);
/// Returns beta * self + alpha times the sum of the b products in bmm(batch1, batch2); `self`
/// broadcasts to [m, n]. With beta = 0 `self` is not read.
///
/// Shape: self [m, n] or broadcastable; batch1 [b, m, k]; batch2 [b, k, n] -> [m, n]
TERN_API Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                       const Scalar& beta = 1, const Scalar& alpha = 1);
TERN_API Tensor& addbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2,
                         const Scalar& beta = 1, const Scalar& alpha = 1);

}  // namespace tern
