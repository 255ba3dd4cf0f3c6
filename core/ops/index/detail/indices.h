#pragma once

#include <cstddef>
#include <vector>

#include <tern/core/ops/index/indexing.h>
#include <tern/core/tensor/tensor.h>

// What a list of indices means.

namespace tern::detail {

using Indices = ArrayRef<indexing::TensorIndex>;

/// A mask or a tensor of indices, and the first dimension that it indexes.
struct Selector {
  std::size_t dim;
  Tensor tensor;
};

/// The view that integers, slices, None and "..." make, and the other indices, which pick its
/// elements.
struct Indexed {
  Tensor view;
  std::vector<Selector> selectors;
};

/// Returns true for bool and uint8.
bool is_mask(const Tensor& tensor);

/// Applies the indices that make views, and collects the others. Throws IndexError for too many
/// indices, an integer out of range or a tensor of another dtype.
Indexed apply_indices(const Tensor& self, Indices indices);

}  // namespace tern::detail
