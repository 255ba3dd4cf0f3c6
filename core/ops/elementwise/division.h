#pragma once

#include <string_view>

#include <tern/core/ops/elementwise/arithmetic.h>
#include <tern/core/ops/elementwise/unary.h>
#include <tern/core/tensor/tensor.h>

// Quotients and remainders, elementwise; see arithmetic.h for shapes, dtypes and devices.

namespace tern {

/// Returns the true quotient self / other; integers give the default dtype.
TERN_API Tensor div(const Tensor& self, const Tensor& other);
TERN_API Tensor div(const Tensor& self, const Scalar& other);
TERN_API Tensor& div_(Tensor& self, const Tensor& other);
TERN_API Tensor& div_(Tensor& self, const Scalar& other);
/// Returns the quotient self / other, rounded towards zero with the mode "trunc" and down with the
/// mode "floor"; without a mode as above. Rounded quotients keep integer dtypes and have the
/// gradient 0. Throws Error for other modes, and for an integer divisor 0; for a tensor on a GPU
/// the next call that waits throws.
///
/// Example:
///   tern::tensor({7, -7}).div(2, "floor");  // [3, -4]
TERN_API Tensor div(const Tensor& self, const Tensor& other,
                    std::optional<std::string_view> rounding_mode);
TERN_API Tensor div(const Tensor& self, const Scalar& other,
                    std::optional<std::string_view> rounding_mode);
TERN_API Tensor& div_(Tensor& self, const Tensor& other,
                      std::optional<std::string_view> rounding_mode);
TERN_API Tensor& div_(Tensor& self, const Scalar& other,
                      std::optional<std::string_view> rounding_mode);
/// Returns the quotient rounded down, as div() with the mode "floor". Has no gradient: backward()
/// throws NotImplementedError.
TERN_API Tensor floor_divide(const Tensor& self, const Tensor& other);
TERN_API Tensor floor_divide(const Tensor& self, const Scalar& other);
TERN_API Tensor& floor_divide_(Tensor& self, const Tensor& other);
TERN_API Tensor& floor_divide_(Tensor& self, const Scalar& other);
/// Returns the remainder of self / other with the sign of the divisor, as Python's %. Throws Error
/// for an integer divisor 0; for a tensor on a GPU the next call that waits throws. The remainder
/// of a number has no gradient: backward() throws NotImplementedError.
TERN_API Tensor remainder(const Tensor& self, const Tensor& other);
TERN_API Tensor remainder(const Tensor& self, const Scalar& other);
TERN_API Tensor remainder(const Scalar& self, const Tensor& other);
TERN_API Tensor& remainder_(Tensor& self, const Tensor& other);
TERN_API Tensor& remainder_(Tensor& self, const Scalar& other);
/// Returns the remainder of self / other with the sign of the dividend, as C's fmod. Throws as
/// remainder().
TERN_API Tensor fmod(const Tensor& self, const Tensor& other);
TERN_API Tensor fmod(const Tensor& self, const Scalar& other);
TERN_API Tensor& fmod_(Tensor& self, const Tensor& other);
TERN_API Tensor& fmod_(Tensor& self, const Scalar& other);
/// Same as div().
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
/// Same as remainder().
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, const Scalar& b) { return remainder(a, b); }
inline Tensor operator%(const Scalar& a, const Tensor& b) { return remainder(a, b); }

}  // namespace tern
