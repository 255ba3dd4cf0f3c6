#pragma once

#include <tern/core/tensor/tensor.h>

// Largest and smallest elements, and their positions; see sums.h for `dim` and `keepdim`.

namespace tern {

/// Returns the largest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amax(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the smallest elements over the dimensions `dim` (see sum()). Equal elements share the
/// gradient. Throws IndexError for an empty dimension.
TERN_API Tensor amin(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false);
/// Returns the smallest and the largest elements, of the whole tensor or along dimension `dim`.
/// Equal elements share the gradient. Throws Error for an empty tensor and IndexError for an empty
/// dimension.
TERN_API std::tuple<Tensor, Tensor> aminmax(const Tensor& self,
                                            std::optional<StrictInt> dim = std::nullopt,
                                            StrictBool keepdim = false);
/// Returns the largest of all elements. Equal elements share the gradient. Throws IndexError for an
/// empty tensor.
TERN_API Tensor max(const Tensor& self);
/// Returns the smallest of all elements. Equal elements share the gradient. Throws IndexError for
/// an empty tensor.
TERN_API Tensor min(const Tensor& self);
/// Returns the largest elements along dimension `dim` and their int64 indices. The first of equal
/// elements is chosen and gets the gradient. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> max(const Tensor& self, StrictInt dim,
                                        StrictBool keepdim = false);
/// Does the same as maximum().
TERN_API Tensor max(const Tensor& self, const Tensor& other);
/// Returns the smallest elements along dimension `dim` and their int64 indices. The first of equal
/// elements is chosen and gets the gradient. Throws IndexError for an empty dimension.
TERN_API std::tuple<Tensor, Tensor> min(const Tensor& self, StrictInt dim,
                                        StrictBool keepdim = false);
/// Does the same as minimum().
TERN_API Tensor min(const Tensor& self, const Tensor& other);
/// Returns the int64 index of the first largest element along `dim`; without `dim` in the flattened
/// tensor, with keepdim as a tensor with all sizes 1. The first NaN is the largest. Throws
/// IndexError for an empty dimension, NotImplementedError for bool.
TERN_API Tensor argmax(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns the int64 index of the first smallest element along `dim`; without `dim` in the
/// flattened tensor, with keepdim as a tensor with all sizes 1. The first NaN is the smallest.
/// Throws IndexError for an empty dimension, NotImplementedError for bool.
TERN_API Tensor argmin(const Tensor& self, std::optional<StrictInt> dim = std::nullopt,
                       StrictBool keepdim = false);
/// Returns true when all elements, of the whole tensor or over the dimensions `dim` (see sum()),
/// differ from 0, as a bool tensor (uint8 for uint8). True for no elements.
TERN_API Tensor all(const Tensor& self);
TERN_API Tensor all(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);
/// Returns true when at least one element, of the whole tensor or over the dimensions `dim` (see
/// sum()), differs from 0, as a bool tensor (uint8 for uint8). False for no elements.
TERN_API Tensor any(const Tensor& self);
TERN_API Tensor any(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);

}  // namespace tern
