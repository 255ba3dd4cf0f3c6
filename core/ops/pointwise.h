#pragma once

#include <tern/core/tensor/tensor.h>

// Elementwise ops. Shapes broadcast, dtypes promote, and gradients are summed back, as in PyTorch.
// A 0-d CPU tensor may join tensors of any device; otherwise all must live together.

namespace tern {

// One function per row of unary.def. They take the tensor by value: a temporary that nobody else
// holds gives its memory to the result.
#define TERN_UNARY(name, node, keep, gradient, summary) \
  /** summary. Elementwise. */                          \
  TERN_API Tensor name(Tensor self);
#include <tern/core/ops/unary.def>
#undef TERN_UNARY

/// self + alpha * other.
TERN_API Tensor add(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor add(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
/// self - alpha * other. Throws DTypeError for bool tensors.
TERN_API Tensor sub(const Tensor& self, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor sub(const Tensor& self, const Scalar& other, const Scalar& alpha = 1);
TERN_API Tensor rsub(const Tensor& self, const Scalar& other);
TERN_API Tensor mul(const Tensor& self, const Tensor& other);
TERN_API Tensor mul(const Tensor& self, const Scalar& other);
/// True division: integers give the default dtype.
TERN_API Tensor div(const Tensor& self, const Tensor& other);
TERN_API Tensor div(const Tensor& self, const Scalar& other);
/// Python's %: the result has the sign of the divisor.
TERN_API Tensor remainder(const Tensor& self, const Tensor& other);
TERN_API Tensor remainder(const Tensor& self, const Scalar& other);
TERN_API Tensor pow(const Tensor& self, const Scalar& exponent);
TERN_API Tensor pow(const Tensor& self, const Tensor& exponent);
TERN_API Tensor pow(const Scalar& self, const Tensor& exponent);
/// The larger one; NaN if either is. At ties each side gets half the gradient.
TERN_API Tensor maximum(const Tensor& self, const Tensor& other);
TERN_API Tensor minimum(const Tensor& self, const Tensor& other);
/// self + value * a * b.
TERN_API Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b,
                        const Scalar& value = 1);
/// self + weight * (end - self).
TERN_API Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
/// Limits each element; the gradient is 0 at and beyond a bound.
TERN_API Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                      const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor clamp_min(const Tensor& self, const Scalar& min);
TERN_API Tensor clamp_max(const Tensor& self, const Scalar& max);
/// `self` where the bool `condition` holds, else `other`.
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
/// `value` where the bool `mask` holds, else `self`.
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);

TERN_API Tensor isnan(const Tensor& self);
TERN_API Tensor isinf(const Tensor& self);
TERN_API Tensor isfinite(const Tensor& self);
TERN_API Tensor logical_not(const Tensor& self);
TERN_API Tensor logical_and(const Tensor& self, const Tensor& other);
TERN_API Tensor logical_or(const Tensor& self, const Tensor& other);
TERN_API Tensor logical_xor(const Tensor& self, const Tensor& other);

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

/// True when sizes and all elements agree; dtypes may differ.
TERN_API bool equal(const Tensor& self, const Tensor& other);
/// |self - other| <= atol + rtol * |other|, elementwise.
TERN_API Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                        double atol = 1e-8, bool equal_nan = false);
/// True when all elements are close. Throws DTypeError when the dtypes differ.
TERN_API bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5,
                       double atol = 1e-8, bool equal_nan = false);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }
inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }
inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, const Scalar& b) { return remainder(a, b); }
inline Tensor operator&(const Tensor& a, const Tensor& b) { return logical_and(a, b); }
inline Tensor operator|(const Tensor& a, const Tensor& b) { return logical_or(a, b); }
inline Tensor operator^(const Tensor& a, const Tensor& b) { return logical_xor(a, b); }

namespace detail {

// Gradients and losses that pay as one pass over memory. Differentiable like any op.
TERN_API Tensor relu_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor tanh_backward(const Tensor& gradient, const Tensor& result);
/// -(t log x + (1 - t) log(1 - x)), both logs at least -100; elementwise.
TERN_API Tensor bce(const Tensor& input, const Tensor& target);
/// (1 - t) x + log(1 + e^-x), without overflow; elementwise.
TERN_API Tensor bce_logits(const Tensor& input, const Tensor& target);

}  // namespace detail
}  // namespace tern
