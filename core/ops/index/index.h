#pragma once

#include <optional>
#include <string_view>

#include <tern/core/ops/index/indexing.h>
#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a copy of the slices of dimension `dim` that the 1-d int64 `index` names, in its order.
/// Throws IndexError for an index out of range or below 0, DTypeError for another dtype of `index`.
TERN_API Tensor index_select(const Tensor& self, StrictInt dim, const Tensor& index);
/// Returns a copy of self with alpha * slice j of `source` added to slice index[j] of dimension
/// `dim`. Equal indices accumulate. Throws ShapeError and DTypeError when `source` does not fit
/// `self`, IndexError out of range.
TERN_API Tensor index_add(const Tensor& self, StrictInt dim, const Tensor& index,
                          const Tensor& source, const Scalar& alpha = 1);
TERN_API Tensor& index_add_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& source,
                            const Scalar& alpha = 1);
/// Returns a copy of self with slice index[j] of dimension `dim` replaced by slice j of `source`.
/// Of equal indices the last one wins on the CPU. Throws ShapeError and DTypeError when `source`
/// does not fit `self`, IndexError for an index out of range or below 0.
TERN_API Tensor index_copy(const Tensor& self, StrictInt dim, const Tensor& index,
                           const Tensor& source);
TERN_API Tensor& index_copy_(Tensor& self, StrictInt dim, const Tensor& index,
                             const Tensor& source);
/// Returns a copy of self with the slices of dimension `dim` that the 1-d int64 `index` names
/// filled with `value`, a number or a 0-d tensor. Negative indices count from the end. Throws
/// IndexError out of range, DTypeError for another dtype of `index`.
TERN_API Tensor index_fill(const Tensor& self, StrictInt dim, const Tensor& index,
                           const Scalar& value);
TERN_API Tensor index_fill(const Tensor& self, StrictInt dim, const Tensor& index,
                           const Tensor& value);
TERN_API Tensor& index_fill_(Tensor& self, StrictInt dim, const Tensor& index, const Scalar& value);
TERN_API Tensor& index_fill_(Tensor& self, StrictInt dim, const Tensor& index, const Tensor& value);
/// Returns a copy of self with slice j of `source` combined with slice index[j] of dimension `dim`.
/// `reduce` is "prod", "mean", "amax" or "amin". Without `include_self`, the old elements of these
/// slices do not count. Throws Error for another `reduce`, ShapeError and DTypeError when `source`
/// does not fit `self`, IndexError out of range.
TERN_API Tensor index_reduce(const Tensor& self, StrictInt dim, const Tensor& index,
                             const Tensor& source, std::string_view reduce,
                             StrictBool include_self = true);
TERN_API Tensor& index_reduce_(Tensor& self, StrictInt dim, const Tensor& index,
                               const Tensor& source, std::string_view reduce,
                               StrictBool include_self = true);
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
/// Returns the elements that the indices name, one index per dimension from the first on; see
/// indexing::TensorIndex. Integers, slices, None and "..." alone give a view; masks and tensors of
/// indices give a copy. These broadcast against each other, and their dimensions replace the
/// indexed ones: at the place of the first if the indexed dimensions are neighbours, else in front.
/// Throws IndexError for an index out of range, too many indices, and masks of another shape.
///
/// Example:
///   using namespace tern::indexing;
///   x.index({Slice(1, None, 2), "...", 3});  // x[1::2, ..., 3], a view
///   x.index({x.sum(1) > 0});                 // the rows with a positive sum, a copy
TERN_API Tensor index(const Tensor& self, ArrayRef<indexing::TensorIndex> indices);
/// Returns a copy of self with the elements that index() with the same indices would return
/// replaced by `values`, which broadcasts; with `accumulate` the values are added. Of equal indices
/// the last one wins on the CPU. Masks and tensors of indices require `values` of self's dtype.
/// Throws IndexError as index(), ShapeError when `values` does not fit, DTypeError for another
/// dtype.
TERN_API Tensor index_put(const Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                          const Tensor& values, StrictBool accumulate = false);
TERN_API Tensor index_put(const Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                          const Scalar& value, StrictBool accumulate = false);
TERN_API Tensor& index_put_(Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                            const Tensor& values, StrictBool accumulate = false);
TERN_API Tensor& index_put_(Tensor& self, ArrayRef<indexing::TensorIndex> indices,
                            const Scalar& value, StrictBool accumulate = false);

}  // namespace tern
