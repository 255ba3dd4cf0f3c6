#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Elements combined by index.

namespace tern {

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
/// Returns a copy of self with the elements of `source` combined with those where gather() with the
/// same `index` would read. `reduce` is "sum", "prod", "mean", "amax" or "amin". Without
/// `include_self`, the old elements there do not count. Throws Error for another `reduce`,
/// ShapeError, DTypeError, and IndexError out of range.
TERN_API Tensor scatter_reduce(const Tensor& self, StrictInt dim, const Tensor& index,
                               const Tensor& source, std::string_view reduce,
                               StrictBool include_self = true);
TERN_API Tensor& scatter_reduce_(Tensor& self, StrictInt dim, const Tensor& index,
                                 const Tensor& source, std::string_view reduce,
                                 StrictBool include_self = true);

}  // namespace tern
