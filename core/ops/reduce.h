#pragma once

#include <tern/core/tensor/tensor.h>

// Reductions and running sums. `dim` lists the dimensions to reduce (all if empty); with keepdim
// they stay with size 1.

namespace tern {

/// Returns the sum of all elements, or over the dimensions `dim`. bool and integers give int64
/// unless `dtype` says otherwise.
///
/// `dim` lists the dimensions to reduce; an empty list means all. With `keepdim` they stay with
/// size 1. Throws IndexError for a dimension out of range and Error for one that is listed twice.
///
/// Shape: [a, b, c] -> [a, c] with dim = 1, [a, 1, c] with keepdim
TERN_API Tensor sum(const Tensor& self);
TERN_API Tensor sum(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false,
                    std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor sum(const Tensor& self, ScalarType dtype);
/// Returns the mean of all elements, or over the dimensions `dim` (see sum()). NaN for an empty
/// tensor. Throws DTypeError unless the dtype is floating point.
TERN_API Tensor mean(const Tensor& self);
TERN_API Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);
/// Returns the product of all elements, or over dimension `dim`. bool and integers give int64.
TERN_API Tensor prod(const Tensor& self);
TERN_API Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim = false);
/// Returns the variance of all elements, or over the dimensions `dim` (see sum()). Divides by N - 1
/// when unbiased, by N otherwise. Floating dtypes.
///
/// A bool as second argument is `unbiased`, an integer is a dimension: `var(x, false)`, `var(x,
/// 0)`.
TERN_API Tensor var(const Tensor& self);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor var(const Tensor& self, Bool unbiased) {
  return var(self, IntArrayRef(), unbiased);
}
/// Returns the standard deviation, the square root of var(), with the same arguments.
TERN_API Tensor std(const Tensor& self);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor std(const Tensor& self, Bool unbiased) {
  return std(self, IntArrayRef(), unbiased);
}
/// Returns the p-norm (p = 2 by default, infinity is the largest magnitude, 0 counts the elements
/// that are not 0) of all elements, or over the dimensions `dim` (see sum()). The gradient is 0
/// where the norm is 0, and there is none for p = 0. Floating dtypes.
TERN_API Tensor norm(const Tensor& self);
TERN_API Tensor norm(const Tensor& self, const Scalar& p);
TERN_API Tensor norm(const Tensor& self, const Scalar& p, IntArrayRef dim,
                     StrictBool keepdim = false);
/// Returns the largest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amax(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the smallest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amin(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the largest of all elements. Equal elements share the gradient. Throws IndexError for an
/// empty tensor.
TERN_API Tensor max(const Tensor& self);
/// Returns the smallest of all elements. Equal elements share the gradient. Throws IndexError for
/// an empty tensor.
TERN_API Tensor min(const Tensor& self);
/// Returns the largest elements along dimension `dim` and their int64 indices. The first of equal
/// elements is chosen and gets the gradient. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> max(const Tensor& self, StrictInt dim,
                                        StrictBool keepdim = false);
/// Returns the smallest elements along dimension `dim` and their int64 indices. The first of equal
/// elements is chosen and gets the gradient. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> min(const Tensor& self, StrictInt dim,
                                        StrictBool keepdim = false);
/// Returns the int64 index of the first largest element along `dim`; without `dim` in the flattened
/// tensor.
TERN_API Tensor argmax(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns the int64 index of the first smallest element along `dim`; without `dim` in the
/// flattened tensor.
TERN_API Tensor argmin(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns true when all elements, of the whole tensor or along dimension `dim`, differ from 0, as
/// a bool tensor. True for no elements.
TERN_API Tensor all(const Tensor& self);
TERN_API Tensor all(const Tensor& self, StrictInt dim, StrictBool keepdim = false);
/// Returns true when at least one element, of the whole tensor or along dimension `dim`, differs
/// from 0, as a bool tensor. False for no elements.
TERN_API Tensor any(const Tensor& self);
TERN_API Tensor any(const Tensor& self, StrictInt dim, StrictBool keepdim = false);

/// Returns the running sums along `dim`: element j of the result is the sum of elements 0 to j.
/// bool and integers give int64 unless `dtype` says otherwise. Throws IndexError for a dimension
/// out of range, and DTypeError for an integer `dtype` if `self` requires a gradient.
///
/// Example:
///   tern::tensor({1, 2, 3}).cumsum(0);  // [1, 3, 6]
TERN_API Tensor cumsum(const Tensor& self, StrictInt dim,
                       std::optional<ScalarType> dtype = std::nullopt);

/// Returns e^x / sum(e^x) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor softmax(const Tensor& self, StrictInt dim);
/// Returns log(softmax(x)) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor log_softmax(const Tensor& self, StrictInt dim);

}  // namespace tern
