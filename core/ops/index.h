#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Joins tensors along dimension `dim`. All other sizes must agree; dtypes promote. Throws
/// ShapeError when sizes do not fit, DeviceError for tensors on different devices, Error for no
/// tensor at all.
TERN_API Tensor cat(TensorList tensors, StrictInt dim = 0);
/// Joins tensors of equal sizes along a new dimension at `dim`. Throws ShapeError when sizes
/// differ, Error for no tensor at all.
///
/// Shape: n tensors [a, b] -> [n, a, b] with dim = 0, [a, n, b] with dim = 1
TERN_API Tensor stack(TensorList tensors, StrictInt dim = 0);
/// Returns a copy of the slices of dimension `dim` that the 1-d int64 `index` names, in its order.
/// Throws IndexError for an index out of range or below 0, DTypeError for another dtype of `index`.
TERN_API Tensor index_select(const Tensor& self, StrictInt dim, const Tensor& index);
/// Returns a copy of self with slice j of `source` added to slice index[j] of dimension `dim`.
/// Equal indices accumulate. Throws ShapeError and DTypeError when `source` does not fit `self`,
/// IndexError out of range.
TERN_API Tensor index_add(const Tensor& self, StrictInt dim, const Tensor& index,
                          const Tensor& source);
/// Picks elements along dimension `dim`: out[.., j, ..] = self[.., index[.., j, ..], ..]. The int64
/// `index` has the shape of the result and is nowhere larger than self, except along `dim`. Throws
/// ShapeError, DTypeError, and IndexError out of range.
TERN_API Tensor gather(const Tensor& self, StrictInt dim, const Tensor& index);
/// Returns a copy of self with the elements of `source` added where gather() with the same `index`
/// would read. Equal indices accumulate. Throws ShapeError, DTypeError, and IndexError out of
/// range.
TERN_API Tensor scatter_add(const Tensor& self, StrictInt dim, const Tensor& index,
                            const Tensor& source);

}  // namespace tern
