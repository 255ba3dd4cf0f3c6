#pragma once

#include <vector>

#include <tern/core/tensor/tensor.h>

// Ops that find or use the elements that are not zero. The number of these elements must be known,
// so ops whose result depends on it wait for a GPU.

namespace tern {

/// Returns the indices of all elements that are not zero, in row-major order. Throws Error for a
/// meta tensor.
///
/// Shape: any -> [n, d] of int64 for n such elements of a tensor with d dimensions
TERN_API Tensor nonzero(const Tensor& self);
/// Returns the first `size` rows of nonzero(), with rows of `fill_value` behind if there are fewer:
/// the sizes of the result do not depend on the elements. Throws ShapeError for a negative `size`.
///
/// Shape: any -> [size, d] of int64 for a tensor with d dimensions
TERN_API Tensor nonzero_static(const Tensor& self, StrictInt size, StrictInt fill_value = -1);
/// Returns the same as nonzero().
TERN_API Tensor argwhere(const Tensor& self);
/// Returns the columns of nonzero(), one tensor per dimension; a 0-d tensor counts as [1].
TERN_API std::vector<Tensor> nonzero_numpy(const Tensor& self);
/// Returns the same as nonzero_numpy().
TERN_API std::vector<Tensor> where(const Tensor& condition);
/// Returns the elements of `self` where `mask` is true, in row-major order, as a copy. Both
/// broadcast. Throws DTypeError unless `mask` is bool, ShapeError when the sizes do not fit.
TERN_API Tensor masked_select(const Tensor& self, const Tensor& mask);
/// Returns a copy of self whose elements where `mask` is true are the first elements of `source`,
/// in row-major order. Throws DTypeError unless `mask` is bool and both dtypes agree, ShapeError
/// when the sizes do not fit, Error when `source` has too few elements.
TERN_API Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source);
TERN_API Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source);

}  // namespace tern
