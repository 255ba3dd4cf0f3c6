#pragma once

#include <tern/core/tensor/tensor.h>

// Elements by their position, in a flat tensor or along one dimension.

namespace tern {

/// Returns the elements of `self`, seen as one row, that the int64 `index` names, in its shape.
/// Negative indices count from the end. Throws IndexError out of range, DTypeError for another
/// dtype of `index`.
TERN_API Tensor take(const Tensor& self, const Tensor& index);
/// Returns a copy of self, seen as one row, with element index[j] replaced by element j of
/// `source`; with `accumulate` the element is added. Negative indices count from the end. Of equal
/// indices the last one wins on the CPU. Throws IndexError out of range and unless `source` and
/// `index` have equally many elements, DTypeError for an unfit dtype.
TERN_API Tensor put(const Tensor& self, const Tensor& index, const Tensor& source,
                    StrictBool accumulate = false);
TERN_API Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source,
                      StrictBool accumulate = false);
/// Picks elements along dimension `dim` as gather() does, after broadcasting the other dimensions
/// of `self` and `indices`; for indices of argsort() and argmax(). Without `dim`, both are seen as
/// one row. Throws Error unless both have equally many dimensions, DTypeError unless `indices` is
/// int64, and IndexError out of range.
TERN_API Tensor take_along_dim(const Tensor& self, const Tensor& indices,
                               std::optional<StrictInt> dim = std::nullopt);

}  // namespace tern
