#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that order elements: sorting, selection, quantiles, search in sorted tensors, unique
// elements. NaN is larger than every number, and -0 equals 0.

namespace tern {

/// Sorts along `dim` and returns the sorted values and their int64 indices in `self`. Equal
/// elements keep their order, with and without `stable`. NaN is the largest element. Throws
/// IndexError for a dimension out of range.
///
/// A bool as second argument is `stable`, an integer is a dimension: `sort(x, true)`, `sort(x, 0)`.
///
/// Example:
///   const auto [values, indices] = tern::tensor({3, 1, 2}).sort();  // [1, 2, 3], [1, 2, 0]
TERN_API std::tuple<Tensor, Tensor> sort(const Tensor& self, StrictInt dim = -1,
                                         StrictBool descending = false);
TERN_API std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<StrictBool> stable,
                                         StrictInt dim = -1, StrictBool descending = false);
/// Returns the indices that sort() returns, with the same arguments.
TERN_API Tensor argsort(const Tensor& self, StrictInt dim = -1, StrictBool descending = false);
TERN_API Tensor argsort(const Tensor& self, std::optional<StrictBool> stable, StrictInt dim = -1,
                        StrictBool descending = false);
/// Returns the values sorted along the first dimension.
TERN_API Tensor msort(const Tensor& self);
/// Returns the k largest elements along `dim`, or the k smallest ones, and their int64 indices. The
/// result is always sorted, the most extreme element first; of equal elements the first ones are
/// chosen. Throws Error for a k out of range, NotImplementedError for bool.
///
/// Shape: [a, b] -> [a, k]
TERN_API std::tuple<Tensor, Tensor> topk(const Tensor& self, StrictInt k, StrictInt dim = -1,
                                         StrictBool largest = true, StrictBool sorted = true);

}  // namespace tern
