#pragma once

#include <tern/core/tensor/tensor.h>

// Elementwise ops. Shapes broadcast, dtypes promote, and gradients are summed back, as in PyTorch.
// A 0-d CPU tensor may join tensors of any device; otherwise all tensors must be on one device.

namespace tern {

// One function per row of unary.def. They take the tensor by value: the result reuses the memory of
// a temporary that nobody else holds.
#define TERN_UNARY(name, node, saves, gradient, summary) \
  /** summary. Elementwise. */                           \
  TERN_API Tensor name(Tensor self);
#include <tern/core/ops/unary.def>
#undef TERN_UNARY

/// Returns self + alpha * other.
TERN_API Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
/// Returns self - alpha * other. Throws DTypeError for bool tensors.
TERN_API Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
/// Returns other - self. Throws DTypeError for bool tensors.
TERN_API Tensor rsub(const Tensor& self, const Scalar& other);
/// Returns the elementwise product self * other.
TERN_API Tensor mul(const Tensor& self, const Tensor& other);
TERN_API Tensor mul(const Tensor& self, const Scalar& other);
/// Returns the true quotient self / other; integers give the default dtype.
TERN_API Tensor div(const Tensor& self, const Tensor& other);
TERN_API Tensor div(const Tensor& self, const Scalar& other);
/// Returns the remainder of self / other with the sign of the divisor, as Python's %. Throws Error
/// for an integer divisor 0; for a tensor on a GPU the next call that waits throws.
TERN_API Tensor remainder(const Tensor& self, const Tensor& other);
TERN_API Tensor remainder(const Tensor& self, const Scalar& other);
/// Returns self to the power of exponent, elementwise. Throws Error for an integer base with a
/// negative integer number as exponent.
TERN_API Tensor pow(const Tensor& self, const Scalar& exponent);
TERN_API Tensor pow(const Tensor& self, const Tensor& exponent);
TERN_API Tensor pow(const Scalar& self, const Tensor& exponent);
/// Returns the larger element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor maximum(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor minimum(const Tensor& self, const Tensor& other);
/// Returns self + value * a * b.
TERN_API Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b,
                        const Scalar& value = 1);
/// Returns self + weight * (end - self): self at weight 0, end at weight 1. Throws DTypeError when
/// the dtypes differ.
TERN_API Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
/// Limits each element to [min, max]; a missing bound does not limit. The gradient is 0 at and
/// beyond a bound. Throws Error when both bounds are missing.
TERN_API Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                      const std::optional<Scalar>& max = std::nullopt);
/// Limits each element to at least `min`. The gradient is 0 at and below the bound.
TERN_API Tensor clamp_min(const Tensor& self, const Scalar& min);
/// Limits each element to at most `max`. The gradient is 0 at and above the bound.
TERN_API Tensor clamp_max(const Tensor& self, const Scalar& max);
/// Returns `self` where the bool `condition` holds, else `other`. Throws DTypeError unless the
/// condition is bool.
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
/// Returns `value` where the bool `mask` holds, else `self`. Throws DTypeError unless the mask is
/// bool.
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);

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
/// Returns the integer whose bits are set where at least one bit is set; logical_or() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_or(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_or(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_or(const Scalar& self, const Tensor& other);
/// Returns the integer whose bits are set where exactly one bit is set; logical_xor() of bools.
/// Throws NotImplementedError for floating dtypes.
TERN_API Tensor bitwise_xor(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_xor(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_xor(const Scalar& self, const Tensor& other);
/// Returns every bit inverted: -1 - self; logical_not() of bools. Throws NotImplementedError
/// for floating dtypes.
TERN_API Tensor bitwise_not(const Tensor& self);

// Comparisons: bool results, no gradient.
#define TERN_COMPARISON(name, symbol)                                                    \
  /** `self symbol other`, elementwise, as a bool tensor; broadcasts. */                 \
  TERN_API Tensor name(const Tensor& self, const Tensor& other);                         \
  /** `self symbol other`, elementwise, as a bool tensor. */                             \
  TERN_API Tensor name(const Tensor& self, const Scalar& other);                         \
  /** Same as name(). */                                                                 \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return name(a, b); } \
  /** Same as name(). */                                                                 \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return name(a, b); }
#include <tern/core/ops/comparison.def>
#undef TERN_COMPARISON

/// Returns true when sizes and all elements agree; dtypes may differ. NaN differs from itself.
TERN_API bool equal(const Tensor& self, const Tensor& other);
/// Returns |self - other| <= atol + rtol * |other|, elementwise, as a bool tensor. Equal infinities
/// are close; NaN are close only with `equal_nan`. Throws DTypeError when the dtypes differ.
TERN_API Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                        double atol = 1e-8, StrictBool equal_nan = false);
/// Returns true when isclose() holds for all elements. Throws DTypeError when the dtypes differ.
TERN_API bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                       double atol = 1e-8, StrictBool equal_nan = false);

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
