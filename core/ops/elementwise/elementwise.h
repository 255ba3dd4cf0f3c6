#pragma once

#include <string_view>

#include <tern/core/ops/elementwise/activation.h>
#include <tern/core/ops/elementwise/special.h>
#include <tern/core/ops/elementwise/unary.h>
#include <tern/core/tensor/tensor.h>

// Elementwise ops. Shapes broadcast, dtypes promote, and gradients are summed back, as in PyTorch.
// A 0-d CPU tensor may join tensors of any device; otherwise all tensors must be on one device.

namespace tern {

/// Returns the dtype of an elementwise result of two operands. A tensor with dimensions counts more
/// than a 0-d tensor, and that more than a number: the one that counts less decides only if it is
/// of a higher category (bool, integers, floating point).
TERN_API ScalarType result_type(const Tensor& tensor, const Tensor& other);
TERN_API ScalarType result_type(const Tensor& tensor, const Scalar& other);
TERN_API ScalarType result_type(const Scalar& scalar, const Tensor& tensor);
TERN_API ScalarType result_type(const Scalar& scalar1, const Scalar& scalar2);

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
/// Returns other - alpha * input. Throws DTypeError for bool tensors.
TERN_API Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
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
/// Returns self to the power of exponent, elementwise. Throws Error for an integer base with a
/// negative integer number as exponent.
TERN_API Tensor pow(const Tensor& self, const Scalar& exponent);
TERN_API Tensor pow(const Tensor& self, const Tensor& exponent);
TERN_API Tensor pow(const Scalar& self, const Tensor& exponent);
TERN_API Tensor& pow_(Tensor& self, const Tensor& exponent);
TERN_API Tensor& pow_(Tensor& self, const Scalar& exponent);
/// Returns self to the power of exponent, computed in float64. The in-place form throws DTypeError
/// unless the tensor is float64.
TERN_API Tensor float_power(const Tensor& self, const Tensor& exponent);
TERN_API Tensor float_power(const Tensor& self, const Scalar& exponent);
TERN_API Tensor float_power(const Scalar& self, const Tensor& exponent);
TERN_API Tensor& float_power_(Tensor& self, const Tensor& exponent);
TERN_API Tensor& float_power_(Tensor& self, const Scalar& exponent);
/// Returns the larger element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor maximum(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN if either is NaN. At a tie each side gets half the gradient.
TERN_API Tensor minimum(const Tensor& self, const Tensor& other);
/// Returns the larger element; NaN only if both are NaN. At a tie each side gets half the gradient.
TERN_API Tensor fmax(const Tensor& self, const Tensor& other);
/// Returns the smaller element; NaN only if both are NaN. At a tie each side gets half the
/// gradient.
TERN_API Tensor fmin(const Tensor& self, const Tensor& other);
/// Returns self + value * a * b.
TERN_API Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b,
                        const Scalar& value = 1);
TERN_API Tensor& addcmul_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// Returns self + value * a / b. Throws DTypeError if a and b are integers.
TERN_API Tensor addcdiv(const Tensor& self, const Tensor& a, const Tensor& b,
                        const Scalar& value = 1);
TERN_API Tensor& addcdiv_(Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value = 1);
/// Returns self + weight * (end - self): self at weight 0, end at weight 1. A tensor of weights
/// broadcasts. Throws DTypeError when the dtypes differ.
TERN_API Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight);
TERN_API Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight);
TERN_API Tensor& lerp_(Tensor& self, const Tensor& end, const Scalar& weight);
TERN_API Tensor& lerp_(Tensor& self, const Tensor& end, const Tensor& weight);
/// Returns the angle of the point (other, self) in (-pi, pi], from the signs of both.
TERN_API Tensor atan2(const Tensor& self, const Tensor& other);
TERN_API Tensor& atan2_(Tensor& self, const Tensor& other);
/// Returns sqrt(self^2 + other^2), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor hypot(const Tensor& self, const Tensor& other);
TERN_API Tensor& hypot_(Tensor& self, const Tensor& other);
/// Returns the magnitude of self with the sign of other.
TERN_API Tensor copysign(const Tensor& self, const Tensor& other);
TERN_API Tensor copysign(const Tensor& self, const Scalar& other);
TERN_API Tensor& copysign_(Tensor& self, const Tensor& other);
TERN_API Tensor& copysign_(Tensor& self, const Scalar& other);
/// Returns log(e^self + e^other), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor logaddexp(const Tensor& self, const Tensor& other);
/// Returns log2(2^self + 2^other), computed without overflow. Throws NotImplementedError unless the
/// dtype is floating point.
TERN_API Tensor logaddexp2(const Tensor& self, const Tensor& other);
/// Returns self * log(other); 0 where self is 0, unless other is NaN.
TERN_API Tensor xlogy(const Tensor& self, const Tensor& other);
TERN_API Tensor xlogy(const Tensor& self, const Scalar& other);
TERN_API Tensor xlogy(const Scalar& self, const Tensor& other);
TERN_API Tensor& xlogy_(Tensor& self, const Tensor& other);
TERN_API Tensor& xlogy_(Tensor& self, const Scalar& other);
/// Returns self * 2^other; exactly for an integer `other`.
TERN_API Tensor ldexp(const Tensor& self, const Tensor& other);
TERN_API Tensor& ldexp_(Tensor& self, const Tensor& other);
/// Returns 0 for negative elements, 1 for positive ones, and `values` for zeros; 0 for NaN. Has no
/// gradient: backward() throws NotImplementedError. Throws DTypeError when the dtypes differ.
TERN_API Tensor heaviside(const Tensor& self, const Tensor& values);
TERN_API Tensor& heaviside_(Tensor& self, const Tensor& values);
/// Returns the greatest common divisor of integers, at least 0. Throws NotImplementedError for
/// other dtypes.
TERN_API Tensor gcd(const Tensor& self, const Tensor& other);
TERN_API Tensor& gcd_(Tensor& self, const Tensor& other);
/// Returns the least common multiple of integers, at least 0. Throws NotImplementedError for other
/// dtypes.
TERN_API Tensor lcm(const Tensor& self, const Tensor& other);
TERN_API Tensor& lcm_(Tensor& self, const Tensor& other);
/// Limits each element to [min, max]; a missing bound does not limit. The gradient is 0 at and
/// beyond a number; a tensor of bounds gets the gradient beyond it, and half of it at a tie. Throws
/// Error when both bounds are missing.
TERN_API Tensor clamp(const Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                      const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor clamp(const Tensor& self, const std::optional<Tensor>& min,
                      const std::optional<Tensor>& max = std::nullopt);
TERN_API Tensor& clamp_(Tensor& self, const std::optional<Scalar>& min = std::nullopt,
                        const std::optional<Scalar>& max = std::nullopt);
TERN_API Tensor& clamp_(Tensor& self, const std::optional<Tensor>& min,
                        const std::optional<Tensor>& max = std::nullopt);
/// Limits each element to at least `min`. The gradient is 0 at and below a number; a tensor of
/// bounds gets it there, and half of it at a tie.
TERN_API Tensor clamp_min(const Tensor& self, const Scalar& min);
TERN_API Tensor clamp_min(const Tensor& self, const Tensor& min);
TERN_API Tensor& clamp_min_(Tensor& self, const Scalar& min);
TERN_API Tensor& clamp_min_(Tensor& self, const Tensor& min);
/// Limits each element to at most `max`. The gradient is 0 at and above a number; a tensor of
/// bounds gets it there, and half of it at a tie.
TERN_API Tensor clamp_max(const Tensor& self, const Scalar& max);
TERN_API Tensor clamp_max(const Tensor& self, const Tensor& max);
TERN_API Tensor& clamp_max_(Tensor& self, const Scalar& max);
TERN_API Tensor& clamp_max_(Tensor& self, const Tensor& max);
/// Returns `self` where the bool `condition` holds, else `other`. Throws DTypeError unless the
/// condition is bool.
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Tensor& self, const Scalar& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Tensor& other);
TERN_API Tensor where(const Tensor& condition, const Scalar& self, const Scalar& other);
/// Returns `value` where the bool `mask` holds, else `self`. Throws DTypeError unless the mask is
/// bool, and ShapeError for a value with dimensions.
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Scalar& value);
TERN_API Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value);
TERN_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value);
TERN_API Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Tensor& value);

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
/// Returns the integer with its bits moved left by `other`: self * 2^other, which wraps around. 0
/// if `other` is negative or at least the width of the dtype. Throws NotImplementedError for
/// floating dtypes and bool.
TERN_API Tensor bitwise_left_shift(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_left_shift(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_left_shift(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_left_shift_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_left_shift_(Tensor& self, const Scalar& other);
/// Returns the integer with its bits moved right by `other`: self / 2^other rounded down. 0 or -1
/// if `other` is negative or at least the width of the dtype. Throws NotImplementedError for
/// floating dtypes and bool.
TERN_API Tensor bitwise_right_shift(const Tensor& self, const Tensor& other);
TERN_API Tensor bitwise_right_shift(const Tensor& self, const Scalar& other);
TERN_API Tensor bitwise_right_shift(const Scalar& self, const Tensor& other);
TERN_API Tensor& bitwise_right_shift_(Tensor& self, const Tensor& other);
TERN_API Tensor& bitwise_right_shift_(Tensor& self, const Scalar& other);

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
inline Tensor operator%(const Scalar& a, const Tensor& b) { return remainder(a, b); }
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
/// Same as bitwise_left_shift().
inline Tensor operator<<(const Tensor& a, const Tensor& b) { return bitwise_left_shift(a, b); }
inline Tensor operator<<(const Tensor& a, const Scalar& b) { return bitwise_left_shift(a, b); }
inline Tensor operator<<(const Scalar& a, const Tensor& b) { return bitwise_left_shift(a, b); }
/// Same as bitwise_right_shift().
inline Tensor operator>>(const Tensor& a, const Tensor& b) { return bitwise_right_shift(a, b); }
inline Tensor operator>>(const Tensor& a, const Scalar& b) { return bitwise_right_shift(a, b); }
inline Tensor operator>>(const Scalar& a, const Tensor& b) { return bitwise_right_shift(a, b); }

namespace detail {

// Gradients that are worth a fused kernel. Differentiable like any op.
TERN_API Tensor relu_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor sigmoid_backward(const Tensor& gradient, const Tensor& result);
TERN_API Tensor tanh_backward(const Tensor& gradient, const Tensor& result);

}  // namespace detail
}  // namespace tern
