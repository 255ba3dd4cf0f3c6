#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a copy of the slices of dimension `dim` that the 1-d `index` names, in its order; it is
/// int64 or int32. Throws IndexError for an index out of range or below 0, DTypeError for another
/// dtype of `index`.
TERN_API Tensor index_select(const Tensor& self, StrictInt dim, const Tensor& index);
/// Returns a copy of self with alpha * slice j of `source` added to slice index[j] of dimension
/// `dim`; `index` is int64 or int32. Equal indices accumulate. Throws ShapeError and DTypeError
/// when `source` does not fit `self`, IndexError out of range.
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

}  // namespace tern
