#pragma once

#include <tern/core/tensor/tensor.h>

// Views with given sizes and strides.

namespace tern {

/// Returns a view of the storage with any sizes, strides and offset, in elements; the default
/// offset is that of `self`. Throws ShapeError when the view exceeds the storage.
TERN_API Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<StrictInt> offset = std::nullopt);
/// Gives this tensor itself other sizes, strides and another offset; see as_strided() and
/// transpose_().
TERN_API Tensor& as_strided_(Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                             std::optional<StrictInt> offset = std::nullopt);

}  // namespace tern
