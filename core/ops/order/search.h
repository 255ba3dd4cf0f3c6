#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Search in sorted tensors.

namespace tern {

/// Returns the int64 index in the last dimension of `sorted_sequence` at which each value would be
/// inserted to keep the order: before equal elements, or behind them with `right` or side "right".
/// With `out_int32` the indices are int32. `sorter`, an int64 tensor of the same sizes, names the
/// elements in sorted order if the sequence is not sorted itself. Throws ShapeError when sizes do
/// not fit, IndexError for a sorter index out of range, Error for a wrong side.
///
/// Shape: [n], [a, b] -> [a, b]; or [a, n], [a, b] -> [a, b], row by row
TERN_API Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& input,
                             StrictBool out_int32 = false, StrictBool right = false,
                             std::optional<std::string_view> side = std::nullopt,
                             const Tensor& sorter = {});
TERN_API Tensor searchsorted(const Tensor& sorted_sequence, const Scalar& input,
                             StrictBool out_int32 = false, StrictBool right = false,
                             std::optional<std::string_view> side = std::nullopt,
                             const Tensor& sorter = {});
/// Returns the index of the bucket of each value: searchsorted() in the 1-d `boundaries`.
TERN_API Tensor bucketize(const Tensor& input, const Tensor& boundaries,
                          StrictBool out_int32 = false, StrictBool right = false);
TERN_API Tensor bucketize(const Scalar& input, const Tensor& boundaries,
                          StrictBool out_int32 = false, StrictBool right = false);

}  // namespace tern
