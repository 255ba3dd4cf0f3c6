#pragma once

#include <tern/core/tensor/tensor.h>

// Unique elements. -0 equals 0.

namespace tern {

/// Returns the unique elements of the whole tensor, always sorted; with `return_inverse` for each
/// element the index of its equal among them, with the sizes of `self`; and with `return_counts`
/// how often each one occurs. What is not asked for is an empty int64 tensor. Each NaN is unique.
/// On a GPU this waits for the number of elements.
///
/// Example:
///   std::get<0>(tern::tensor({2, 1, 2}).unique());  // [1, 2]
TERN_API std::tuple<Tensor, Tensor, Tensor> unique(const Tensor& self, StrictBool sorted = true,
                                                   StrictBool return_inverse = false,
                                                   StrictBool return_counts = false);
/// Returns the unique slices of dimension `dim` in lexicographic order, and the same further
/// results as unique().
TERN_API std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& input, StrictInt dim,
                                                       StrictBool sorted = true,
                                                       StrictBool return_inverse = false,
                                                       StrictBool return_counts = false);
/// Returns the tensor with only the first one of equal neighbours, of all elements or of the
/// slices of dimension `dim`, and the same further results as unique().
TERN_API std::tuple<Tensor, Tensor, Tensor> unique_consecutive(
    const Tensor& self, StrictBool return_inverse = false, StrictBool return_counts = false,
    std::optional<StrictInt> dim = std::nullopt);

}  // namespace tern
