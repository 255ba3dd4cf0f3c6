#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Joins tensors along one dimension; the other sizes must agree. Dtypes promote.
TERN_API Tensor cat(TensorList tensors, std::int64_t dim = 0);
/// Joins tensors of one shape along a new dimension.
TERN_API Tensor stack(TensorList tensors, std::int64_t dim = 0);
/// The slices of `dim` that the 1-d int64 `index` names. Throws IndexError out of range.
TERN_API Tensor index_select(const Tensor& self, std::int64_t dim, const Tensor& index);
/// A copy of self with source[.., j, ..] added to slice index[j] of `dim`.
TERN_API Tensor index_add(const Tensor& self, std::int64_t dim, const Tensor& index,
                          const Tensor& source);
/// out[.., j, ..] = self[.., index[.., j, ..], ..] along `dim`; index has the shape of the result.
TERN_API Tensor gather(const Tensor& self, std::int64_t dim, const Tensor& index);
/// A copy of self with source added where gather would read.
TERN_API Tensor scatter_add(const Tensor& self, std::int64_t dim, const Tensor& index,
                            const Tensor& source);

}  // namespace tern
