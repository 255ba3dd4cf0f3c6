#pragma once

#include <string_view>

#include <tern/core/tensor/tensor.h>

// Quantiles.

namespace tern {

/// Returns the quantile q of all elements or along `dim`: the element at rank q (n - 1) of the n
/// sorted elements. Between two ranks, `interpolation` says which value to take: "linear", "lower",
/// "higher", "midpoint" or "nearest". NaN if an element is NaN. A 1-d `q` of the same dtype gives
/// its quantiles along a new first dimension. Throws Error for q outside of [0, 1], an empty
/// tensor, and dtypes other than float32 and float64.
///
/// Shape: [a, b] -> [a] with dim = 1, [c, a] for c quantiles
TERN_API Tensor quantile(const Tensor& self, double q, std::optional<StrictInt> dim = std::nullopt,
                         StrictBool keepdim = false, std::string_view interpolation = "linear");
TERN_API Tensor quantile(const Tensor& self, const Tensor& q,
                         std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                         std::string_view interpolation = "linear");
/// Returns the quantile of the elements that are not NaN (see quantile()); NaN if there are none.
TERN_API Tensor nanquantile(const Tensor& self, double q,
                            std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                            std::string_view interpolation = "linear");
TERN_API Tensor nanquantile(const Tensor& self, const Tensor& q,
                            std::optional<StrictInt> dim = std::nullopt, StrictBool keepdim = false,
                            std::string_view interpolation = "linear");

}  // namespace tern
