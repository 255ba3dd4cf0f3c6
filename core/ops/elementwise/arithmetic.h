#pragma once

#include <tern/core/tensor/tensor.h>

// Sums and products, elementwise. As in all elementwise ops, shapes broadcast, dtypes promote, and
// gradients are summed back. A 0-d CPU tensor may join tensors of any device; otherwise all tensors
// must be on one device.

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
/// Returns other - alpha * input. Throws DTypeError for bool tensors.
TERN_API Tensor rsub(const Tensor& input, const Tensor& other, const Scalar& alpha = 1);
TERN_API Tensor rsub(const Tensor& input, const Scalar& other, const Scalar& alpha = 1);
/// Returns the elementwise product self * other.
TERN_API Tensor mul(const Tensor& self, const Tensor& other);
TERN_API Tensor mul(const Tensor& self, const Scalar& other);
TERN_API Tensor& mul_(Tensor& self, const Tensor& other);
TERN_API Tensor& mul_(Tensor& self, const Scalar& other);
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

}  // namespace tern
