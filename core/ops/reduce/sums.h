#pragma once

#include <tern/core/tensor/tensor.h>

// Reductions. `dim` lists the dimensions to reduce (all if empty); with keepdim they stay with size
// 1. Norms are in norm.h, running sums and the like in scan.h.

namespace tern {

/// Returns the sum of all elements, or over the dimensions `dim`. bool and integers give int64
/// unless `dtype` says otherwise.
///
/// `dim` lists the dimensions to reduce; an empty list means all. With `keepdim` they stay with
/// size 1. Throws IndexError for a dimension out of range and Error for one that is listed twice.
///
/// Shape: [a, b, c] -> [a, c] with dim = 1, [a, 1, c] with keepdim
TERN_API Tensor sum(const Tensor& self);
TERN_API Tensor sum(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false,
                    std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor sum(const Tensor& self, std::optional<ScalarType> dtype);
/// Returns the sum of the elements that are not NaN, with the arguments of sum(). 0 if all are NaN;
/// NaN elements get no gradient.
TERN_API Tensor nansum(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false,
                       std::optional<ScalarType> dtype = std::nullopt);
/// Returns the mean of all elements, or over the dimensions `dim` (see sum()), computed in `dtype`
/// if given. NaN for an empty tensor. Throws DTypeError unless the dtype is floating point.
TERN_API Tensor mean(const Tensor& self);
TERN_API Tensor mean(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false,
                     std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor mean(const Tensor& self, std::optional<ScalarType> dtype);
/// Returns the mean of the elements that are not NaN, with the arguments of mean(). NaN if all are
/// NaN. Throws DTypeError unless `self` is floating point.
TERN_API Tensor nanmean(const Tensor& self, IntArrayRef dim = {}, StrictBool keepdim = false,
                        std::optional<ScalarType> dtype = std::nullopt);
/// Returns the product of all elements, or over dimension `dim`. bool and integers give int64
/// unless `dtype` says otherwise.
TERN_API Tensor prod(const Tensor& self);
TERN_API Tensor prod(const Tensor& self, StrictInt dim, StrictBool keepdim = false,
                     std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor prod(const Tensor& self, std::optional<ScalarType> dtype);
/// Returns log(sum(e^x)) over the dimensions `dim` (see sum()), computed without overflow. Integers
/// give the default dtype. -infinity for no elements.
TERN_API Tensor logsumexp(const Tensor& self, IntArrayRef dim, StrictBool keepdim = false);
/// Returns the number of elements that differ from 0, over all dimensions or those in `dim`, as
/// int64. NaN differs from 0.
TERN_API Tensor count_nonzero(const Tensor& self, IntArrayRef dim = {});

}  // namespace tern
