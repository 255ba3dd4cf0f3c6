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

/// Returns the same times `factors`, in the memory of `factors` if nothing is recorded.
///
/// Shape: of at least one dimension, not empty
Tensor times_exclusive_products(const Tensor& factors, const Tensor& products, std::int64_t dim,
                                bool reverse);

}  // namespace tern::detail
