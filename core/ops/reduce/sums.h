#pragma once

#include <tern/core/tensor/tensor.h>

// Reductions. `dim` lists the dimensions to reduce (all if empty); with keepdim they stay with size
// 1. Norms are in norm.h, running sums and the like in scan.h.

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
/// Returns the sum of the elements that are not NaN, with the arguments of sum(). 0 if all are NaN;
/// NaN elements get no gradient.
TERN_API Tensor nansum(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false,
                       std::optional<ScalarType> dtype = std::nullopt);
/// Returns the mean of all elements, or over the dimensions `dim` (see sum()), computed in `dtype`
/// if given. NaN for an empty tensor. Throws DTypeError unless the dtype is floating point.
TERN_API Tensor mean(const Tensor& self);
TERN_API Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false,
                     std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor mean(const Tensor& self, ScalarType dtype);
/// Returns the mean of the elements that are not NaN, with the arguments of mean(). NaN if all are
/// NaN. Throws DTypeError unless `self` is floating point.
TERN_API Tensor nanmean(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false,
                        std::optional<ScalarType> dtype = std::nullopt);
/// Returns the product of all elements, or over dimension `dim`. bool and integers give int64
/// unless `dtype` says otherwise.
TERN_API Tensor prod(const Tensor& self);
TERN_API Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim = false,
                     std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor prod(const Tensor& self, ScalarType dtype);
/// Returns log(sum(e^x)) over the dimensions `dim` (see sum()), computed without overflow. Integers
/// give the default dtype. -infinity for no elements.
TERN_API Tensor logsumexp(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);
/// Returns the number of elements that differ from 0, over all dimensions or those in `dim`, as
/// int64. NaN differs from 0.
TERN_API Tensor count_nonzero(const Tensor& self, IntArrayRef dim = {});
/// Returns the variance of all elements, or over the dimensions `dim` (see sum()). Divides by N - 1
/// when unbiased, by N otherwise, and by max(N - correction, 0) when a correction is given.
/// Floating dtypes.
///
/// A bool as second argument is `unbiased`, an integer is a dimension: `var(x, false)`, `var(x,
/// 0)`. As third argument a bool is `unbiased`, a number is `correction`.
TERN_API Tensor var(const Tensor& self);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
TERN_API Tensor var(const Tensor& self, IntArrayRef dim, StrictNumber correction,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor var(const Tensor& self, Bool unbiased) {
  return var(self, IntArrayRef(), unbiased);
}
/// Returns the standard deviation, the square root of var(), with the same arguments.
TERN_API Tensor std(const Tensor& self);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, StrictBool unbiased = true,
                    StrictBool keepdim = false);
TERN_API Tensor std(const Tensor& self, IntArrayRef dim, StrictNumber correction,
                    StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> Tensor std(const Tensor& self, Bool unbiased) {
  return std(self, IntArrayRef(), unbiased);
}
/// Returns the variance and the mean, with the arguments of var().
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input);
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input, IntArrayRef dim,
                                             StrictBool unbiased = true,
                                             StrictBool keepdim = false);
TERN_API std::tuple<Tensor, Tensor> var_mean(const Tensor& input, IntArrayRef dim,
                                             StrictNumber correction, StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> std::tuple<Tensor, Tensor> var_mean(const Tensor& input,
                                                                        Bool unbiased) {
  return var_mean(input, IntArrayRef(), unbiased);
}
/// Returns the standard deviation and the mean, with the arguments of var().
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input);
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input, IntArrayRef dim,
                                             StrictBool unbiased = true,
                                             StrictBool keepdim = false);
TERN_API std::tuple<Tensor, Tensor> std_mean(const Tensor& input, IntArrayRef dim,
                                             StrictNumber correction, StrictBool keepdim = false);
template <class Bool>
requires std::is_same_v<Bool, bool> std::tuple<Tensor, Tensor> std_mean(const Tensor& input,
                                                                        Bool unbiased) {
  return std_mean(input, IntArrayRef(), unbiased);
}
/// Returns the largest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amax(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the smallest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amin(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the smallest and the largest elements, of the whole tensor or along dimension `dim`.
/// Equal elements share the gradient. Throws Error for an empty tensor and IndexError for an empty
/// dimension.
TERN_API std::tuple<Tensor, Tensor> aminmax(const Tensor& self,
                                            std::optional<StrictInt> dim = std::nullopt,
                                            StrictBool keepdim = false);
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
/// tensor, with keepdim as a tensor with all sizes 1. The first NaN is the largest. Throws
/// IndexError for an empty dimension, NotImplementedError for bool.
TERN_API Tensor argmax(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns the int64 index of the first smallest element along `dim`; without `dim` in the
/// flattened tensor, with keepdim as a tensor with all sizes 1. The first NaN is the smallest.
/// Throws IndexError for an empty dimension, NotImplementedError for bool.
TERN_API Tensor argmin(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns true when all elements, of the whole tensor or over the dimensions `dim` (see sum()),
/// differ from 0, as a bool tensor (uint8 for uint8). True for no elements.
TERN_API Tensor all(const Tensor& self);
TERN_API Tensor all(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);
/// Returns true when at least one element, of the whole tensor or over the dimensions `dim` (see
/// sum()), differs from 0, as a bool tensor (uint8 for uint8). False for no elements.
TERN_API Tensor any(const Tensor& self);
TERN_API Tensor any(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);

/// Returns e^x / sum(e^x) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor softmax(const Tensor& self, StrictInt dim);
/// Returns log(softmax(x)) along `dim`, computed without overflow. Floating dtypes.
TERN_API Tensor log_softmax(const Tensor& self, StrictInt dim);

}  // namespace tern
