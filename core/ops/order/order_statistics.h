#pragma once

#include <tern/core/tensor/tensor.h>

// The k-th smallest element, the median and the mode. NaN is larger than every number.

namespace tern {

/// Returns the k-th smallest element along `dim`, with k from 1 on, and its int64 index. Throws
/// Error for a k out of range, IndexError for an empty dimension, NotImplementedError for bool.
TERN_API std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, StrictInt k, StrictInt dim = -1,
                                             StrictBool keepdim = false);
/// Returns the median, the lower one of two; NaN if an element is NaN. Without `dim` of all
/// elements: equal ones share the gradient, and an empty tensor gives NaN, or the smallest number
/// of an integral dtype. With `dim` returns the medians and their int64 indices. Throws IndexError
/// for an empty dimension, NotImplementedError for bool.
TERN_API Tensor median(const Tensor& self);
TERN_API std::tuple<Tensor, Tensor> median(const Tensor& self, StrictInt dim,
                                           StrictBool keepdim = false);
/// Returns the median of the elements that are not NaN (see median()); NaN if there are none.
TERN_API Tensor nanmedian(const Tensor& self);
TERN_API std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, StrictInt dim,
                                              StrictBool keepdim = false);
/// Returns the most frequent element along `dim`, the smallest of several, and the int64 index
/// where it occurs last. Each NaN counts alone. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> mode(const Tensor& self, StrictInt dim = -1,
                                         StrictBool keepdim = false);

}  // namespace tern
