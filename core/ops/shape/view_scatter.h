#pragma once

#include <tern/core/tensor/tensor.h>

// Copies of a tensor in which another tensor takes the place of a view.

namespace tern {

/// Returns a copy in which `src` replaces slice `index` of dimension `dim`; see select(). Throws
/// ShapeError when the sizes differ.
TERN_API Tensor select_scatter(const Tensor& self, const Tensor& src, StrictInt dim,
                               StrictInt index);
/// Returns a copy in which `src` replaces a part of dimension `dim`; see slice(). Throws ShapeError
/// when the sizes differ.
TERN_API Tensor slice_scatter(const Tensor& self, const Tensor& src, StrictInt dim = 0,
                              std::optional<StrictInt> start = std::nullopt,
                              std::optional<StrictInt> end = std::nullopt, StrictInt step = 1);
/// Returns a copy in which `src` replaces a diagonal; see diagonal(). Throws ShapeError when the
/// sizes differ.
TERN_API Tensor diagonal_scatter(const Tensor& self, const Tensor& src, StrictInt offset = 0,
                                 StrictInt dim1 = 0, StrictInt dim2 = 1);
/// Returns a copy in which `src` replaces the elements that as_strided() would show. Copies the
/// whole storage. Throws ShapeError when the sizes differ or exceed the storage, and Error when
/// elements of the view overlap.
TERN_API Tensor as_strided_scatter(const Tensor& self, const Tensor& src, IntArrayRef sizes,
                                   IntArrayRef strides,
                                   std::optional<StrictInt> offset = std::nullopt);

}  // namespace tern
