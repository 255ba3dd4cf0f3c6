#pragma once

#include <tern/core/tensor/tensor.h>

// Scans: element j of a result is computed from elements 0 to j along a dimension.

namespace tern {

/// Returns the running sums along `dim`: element j of the result is the sum of elements 0 to j.
/// bool and integers give int64 unless `dtype` says otherwise. Throws IndexError for a dimension
/// out of range, and DTypeError for an integer `dtype` if `self` requires a gradient. In place,
/// `dtype` must be that of `self`.
///
/// Example:
///   tern::tensor({1, 2, 3}).cumsum(0);  // [1, 3, 6]
TERN_API Tensor cumsum(const Tensor& self, StrictInt dim,
                       std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor& cumsum_(Tensor& self, StrictInt dim,
                         std::optional<ScalarType> dtype = std::nullopt);
/// Returns the running products along `dim`, with dtypes and errors as cumsum(). The gradient is
/// exact for elements that are 0, too.
///
/// Example:
///   tern::tensor({1, 2, 3}).cumprod(0);  // [1, 2, 6]
TERN_API Tensor cumprod(const Tensor& self, StrictInt dim,
                        std::optional<ScalarType> dtype = std::nullopt);
TERN_API Tensor& cumprod_(Tensor& self, StrictInt dim,
                          std::optional<ScalarType> dtype = std::nullopt);
/// Returns log(cumsum(e^x)) along `dim`, computed without overflow. Throws NotImplementedError for
/// integers, IndexError for a dimension out of range.
TERN_API Tensor logcumsumexp(const Tensor& self, StrictInt dim);
/// Returns the largest element so far along `dim`, and its int64 index. The last of equal elements
/// is chosen and gets the gradient. From the first NaN on, the results are NaN. Throws IndexError
/// for a dimension out of range.
///
/// Example:
///   auto [values, indices] = tern::tensor({1, 3, 2}).cummax(0);  // [1, 3, 3], [0, 1, 1]
TERN_API std::tuple<Tensor, Tensor> cummax(const Tensor& self, StrictInt dim);
/// Returns the smallest element so far along `dim`, and its int64 index, as cummax() does.
TERN_API std::tuple<Tensor, Tensor> cummin(const Tensor& self, StrictInt dim);

}  // namespace tern
