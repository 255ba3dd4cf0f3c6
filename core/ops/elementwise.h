#pragma once

#include <tern/core/ops/unary.h>
#include <tern/core/tensor/tensor.h>

// Elementwise ops. Shapes broadcast, dtypes promote, and gradients are summed back, as in PyTorch.
// A 0-d CPU tensor may join tensors of any device; otherwise all tensors must be on one device.

namespace tern {

/// Returns self + alpha * other.
TERN_API Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
TERN_API Tensor& add_(Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor& add_(Tensor& self, const Scalar& other, const Scalar& alpha = 1);
/// Returns self - alpha * other. Throws DTypeError for bool tensors.
TERN_API Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
TERN_API Tensor& sub_(Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor& sub_(Tensor& self, const Scalar& other, const Scalar& alpha = 1);
/// Returns other - input. Throws DTypeError for bool tensors.
TERN_API Tensor rsub(const Tensor& input, const Scalar& other);
/// Returns the elementwise product self * other.
TERN_API Tensor mul(const Tensor& self, const Tensor& other);
TERN_API Tensor mul(const Tensor& self, const Scalar& other);
TERN_API Tensor& mul_(Tensor& self, const Tensor& other);
TERN_API Tensor& mul_(Tensor& self, const Scalar& other);
/// Returns the true quotient self / other; integers give the default dtype.
TERN_API Tensor div(const Tensor& self, const Tensor& other);
TERN_API Tensor div(const Tensor& self, const Scalar& other);
TERN_API Tensor& div_(Tensor& self, const Tensor& other);
TERN_API Tensor& div_(Tensor& self, const Scalar& other);
/// Returns the remainder of self / other with the sign of the divisor, as Python's %. Throws Error
/// for an integer divisor 0; for a tensor on a GPU the next call that waits throws.
TERN_API Tensor remainder(const Tensor& self, const Tensor& other);
TERN_API Tensor remainder(const Tensor& self, const Scalar& other);
/// Returns self to the power of exponent, elementwise. Throws Error for an integer base with a
/// negative integer number as exponent.
TERN_API Tensor pow(const Tensor& self, const Scalar& exponent);
TERN_API Tensor pow(const Tensor& self, const Tensor& exponent);
TERN_API Tensor pow(const Scalar& self, const Tensor& exponent);
TERN_API Tensor& pow_(Tensor& self, const Scalar& exponent);
/// Returns the larger element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor maximum(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor minimum(const Tensor& self, const Tensor& other);
/// Returns self + value * a * b.
TERN_API Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b,
                        const Scalar& value = 1);
TERN_API Tensor& addcmul_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// Returns self + weight * (end - self): self at weight 0, end at weight 1. Throws DTypeError when
/// the dtypes differ.
TERN_API Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
TERN_API Tensor& lerp_(Tensor& self, const Tensor& end, const Scalar& weight);
/// Limits each element to [min, max]; a missing bound does not limit. The gradient is 0 at and
/// beyond a bound. Throws Error when both bounds are missing.
TERN_API Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                      const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor& clamp_(Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                        const std::optional<Scalar>& max = std::nullopt);
/// Limits each element to at least `min`. The gradient is 0 at and below the bound.
TERN_API Tensor clamp_min(const Tensor& self, const Scalar& min);
TERN_API Tensor& clamp_min_(Tensor& self, const Scalar& min);
/// Limits each element to at most `max`. The gradient is 0 at and above the bound.
TERN_API Tensor clamp_max(const Tensor& self, const Scalar& max);
TERN_API Tensor& clamp_max_(Tensor& self, const Scalar& max);
/// Returns log(1 + e^(beta x)) / beta, a smooth relu(); x itself where beta x is above `threshold`,
/// where both agree. Throws NotImplementedError unless the dtype is floating point.
TERN_API Tensor softplus(const Tensor& input, const Scalar& beta = 1, const Scalar& threshold = 20);
/// Returns `self` where the bool `condition` holds, else `other`. Throws DTypeError unless the
/// condition is bool.
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
/// Returns `value` where the bool `mask` holds, else `self`. Throws DTypeError unless the mask is
/// bool.
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
TERN_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value);

/// Returns true for elements that are NaN, as a bool tensor.
TERN_API Tensor isnan(const Tensor& self);
/// Returns true for elements that are infinite, as a bool tensor.
TERN_API Tensor isinf(const Tensor& self);
/// Returns true for elements that are neither infinite nor NaN, as a bool tensor.
TERN_API Tensor isfinite(const Tensor& self);
/// Returns true for elements that are 0, as a bool tensor.
TERN_API Tensor logical_not(const Tensor& self);
/// Returns true where both elements differ from 0, as a bool tensor.
TERN_API Tensor logical_and(const Tensor& self, const Tensor& other);
/// Returns true where at least one element differs from 0, as a bool tensor.
TERN_API Tensor logical_or(const Tensor& self, const Tensor& other);
/// Returns true where exactly one element differs from 0, as a bool tensor.
TERN_API Tensor logical_xor(const Tensor& self, const Tensor& other);
/// Returns the integer whose bits are set where both bits are set; logical_and() of bools. Throws
/// NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_and(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_and(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_and(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_and_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_and_(Tensor& self, const Scalar& other);
/// Returns the integer whose bits are set where at least one bit is set; logical_or() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_or(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_or(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_or(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_or_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_or_(Tensor& self, const Scalar& other);
/// Returns the integer whose bits are set where exactly one bit is set; logical_xor() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_xor(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_xor(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_xor(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_xor_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_xor_(Tensor& self, const Scalar& other);
/// Returns every bit inverted: -1 - self; logical_not() of bools. Throws NotImplementedError
/// for floating dtypes.
TERN_API Tensor bitwise_not(const Tensor& self);
TERN_API Tensor& bitwise_not_(Tensor& self);

/// Same as add().
inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
/// Same as sub(); `number - tensor` is rsub().
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
/// Same as mul().
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
/// Same as div().
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
/// Same as remainder().
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, const Scalar& b) { return remainder(a, b); }
/// Same as bitwise_and().
inline Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
inline Tensor operator&(const Tensor& a, const Scalar& b) { return bitwise_and(a, b); }
inline Tensor operator&(const Scalar& a, const Tensor& b) { return bitwise_and(a, b); }
/// Same as bitwise_or().
inline Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
inline Tensor operator|(const Tensor& a, const Scalar& b) { return bitwise_or(a, b); }
inline Tensor operator|(const Scalar& a, const Tensor& b) { return bitwise_or(a, b); }
/// Same as bitwise_xor().
inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }
inline Tensor operator^(const Tensor& a, const Scalar& b) { return bitwise_xor(a, b); }
inline Tensor operator^(const Scalar& a, const Tensor& b) { return bitwise_xor(a, b); }

namespace detail {

// Gradients that are worth a fused kernel. Differentiable like any op.
TERN_API Tensor relu_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor tanh_backward(const Tensor& gradient, const Tensor& result);

}  // namespace detail
}  // namespace tern
