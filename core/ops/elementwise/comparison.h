#pragma once

#include <tern/core/tensor/tensor.h>

// Elementwise comparisons give bool tensors without a gradient; shapes broadcast. In-place forms
// keep the dtype and write 0 or 1; the gradient of what they overwrite is 0.

namespace tern {

/// Returns true where an element of `self` equals `other`. NaN gives false.
TERN_API Tensor eq(const Tensor& self, const Tensor& other);
TERN_API Tensor eq(const Tensor& self, const Scalar& other);
TERN_API Tensor& eq_(Tensor& self, const Tensor& other);
TERN_API Tensor& eq_(Tensor& self, const Scalar& other);
/// Same as eq().
inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator==(const Tensor& a, const Scalar& b) { return eq(a, b); }
/// Returns true where an element of `self` differs from `other`. NaN gives true.
TERN_API Tensor ne(const Tensor& self, const Tensor& other);
TERN_API Tensor ne(const Tensor& self, const Scalar& other);
TERN_API Tensor& ne_(Tensor& self, const Tensor& other);
TERN_API Tensor& ne_(Tensor& self, const Scalar& other);
/// Same as ne().
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator!=(const Tensor& a, const Scalar& b) { return ne(a, b); }
/// Returns true where an element of `self` is less than `other`. NaN gives false.
TERN_API Tensor lt(const Tensor& self, const Tensor& other);
TERN_API Tensor lt(const Tensor& self, const Scalar& other);
TERN_API Tensor& lt_(Tensor& self, const Tensor& other);
TERN_API Tensor& lt_(Tensor& self, const Scalar& other);
/// Same as lt().
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<(const Tensor& a, const Scalar& b) { return lt(a, b); }
/// Returns true where an element of `self` is at most `other`. NaN gives false.
TERN_API Tensor le(const Tensor& self, const Tensor& other);
TERN_API Tensor le(const Tensor& self, const Scalar& other);
TERN_API Tensor& le_(Tensor& self, const Tensor& other);
TERN_API Tensor& le_(Tensor& self, const Scalar& other);
/// Same as le().
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator<=(const Tensor& a, const Scalar& b) { return le(a, b); }
/// Returns true where an element of `self` is greater than `other`. NaN gives false.
TERN_API Tensor gt(const Tensor& self, const Tensor& other);
TERN_API Tensor gt(const Tensor& self, const Scalar& other);
TERN_API Tensor& gt_(Tensor& self, const Tensor& other);
TERN_API Tensor& gt_(Tensor& self, const Scalar& other);
/// Same as gt().
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>(const Tensor& a, const Scalar& b) { return gt(a, b); }
/// Returns true where an element of `self` is at least `other`. NaN gives false.
TERN_API Tensor ge(const Tensor& self, const Tensor& other);
TERN_API Tensor ge(const Tensor& self, const Scalar& other);
TERN_API Tensor& ge_(Tensor& self, const Tensor& other);
TERN_API Tensor& ge_(Tensor& self, const Scalar& other);
/// Same as ge().
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator>=(const Tensor& a, const Scalar& b) { return ge(a, b); }

/// Returns true when sizes and all elements agree; dtypes may differ. NaN differs from itself.
TERN_API bool equal(const Tensor& self, const Tensor& other);
/// Returns |self - other| <= atol + rtol * |other|, elementwise, as a bool tensor. Equal infinities
/// are close; NaN are close only with `equal_nan`. Throws DTypeError when the dtypes differ.
TERN_API Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                        double atol = 1e-8, StrictBool equal_nan = false);
/// Returns true when isclose() holds for all elements. Throws DTypeError when the dtypes differ.
TERN_API bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                       double atol = 1e-8, StrictBool equal_nan = false);
/// Returns true for elements that are NaN, as a bool tensor.
TERN_API Tensor isnan(const Tensor& self);
/// Returns true for elements that are infinite, as a bool tensor.
TERN_API Tensor isinf(const Tensor& self);
/// Returns true for elements that are neither infinite nor NaN, as a bool tensor.
TERN_API Tensor isfinite(const Tensor& self);
/// Returns true for elements that are 0, as a bool tensor.
TERN_API Tensor logical_not(const Tensor& self);
TERN_API Tensor& logical_not_(Tensor& self);
/// Returns true where both elements differ from 0, as a bool tensor.
TERN_API Tensor logical_and(const Tensor& self, const Tensor& other);
TERN_API Tensor& logical_and_(Tensor& self, const Tensor& other);
/// Returns true where at least one element differs from 0, as a bool tensor.
TERN_API Tensor logical_or(const Tensor& self, const Tensor& other);
TERN_API Tensor& logical_or_(Tensor& self, const Tensor& other);
/// Returns true where exactly one element differs from 0, as a bool tensor.
TERN_API Tensor logical_xor(const Tensor& self, const Tensor& other);
TERN_API Tensor& logical_xor_(Tensor& self, const Tensor& other);

}  // namespace tern
