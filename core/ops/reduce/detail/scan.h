#pragma once

#include <tern/core/tensor/tensor.h>

// Scans that gradients need.

namespace tern::detail {

/// Returns the running products along `dim`, from the last element if `reverse`. Recorded, for
/// floating dtypes and int64.
Tensor running_product(const Tensor& self, std::int64_t dim, bool reverse);

/// Returns the products of the elements before each element (after it, if `reverse`), made of the
/// running `products`.
Tensor exclusive_products(const Tensor& products, std::int64_t dim, bool reverse);

/// Returns exclusive_products() times `factors`. If nothing is recorded, the result takes the
/// memory of `factors`.
///
/// Shape: `factors` and `products` have the same sizes, at least one dimension and one element
Tensor times_exclusive_products(const Tensor& factors, const Tensor& products, std::int64_t dim,
                                bool reverse);

}  // namespace tern::detail
