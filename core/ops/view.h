#pragma once

#include <tern/core/tensor/tensor.h>

// Ops that show the same elements in another shape; nothing is copied unless said.

namespace tern {

/// The same elements as `sizes`, of which one may be -1; a view where the strides allow it, else
/// a copy (Tensor::view throws instead).
TERN_API Tensor reshape(const Tensor& self, IntArrayRef sizes);
TERN_API Tensor flatten(const Tensor& self, std::int64_t start_dim = 0, std::int64_t end_dim = -1);
TERN_API Tensor transpose(const Tensor& self, std::int64_t dim0, std::int64_t dim1);
/// Transpose of a matrix; a vector stays.
TERN_API Tensor t(const Tensor& self);
TERN_API Tensor permute(const Tensor& self, IntArrayRef dims);
TERN_API Tensor select(const Tensor& self, std::int64_t dim, std::int64_t index);
/// Elements start, start + step, ... below end of one dimension; bounds are clipped, negative
/// ones count from the end.
TERN_API Tensor slice(const Tensor& self, std::int64_t dim = 0,
                      std::optional<std::int64_t> start = std::nullopt,
                      std::optional<std::int64_t> end = std::nullopt, std::int64_t step = 1);
TERN_API Tensor narrow(const Tensor& self, std::int64_t dim, std::int64_t start,
                       std::int64_t length);
/// Repeats dimensions of size 1 without copying; -1 keeps a size.
TERN_API Tensor expand(const Tensor& self, IntArrayRef sizes);
TERN_API Tensor squeeze(const Tensor& self);
TERN_API Tensor squeeze(const Tensor& self, std::int64_t dim);
TERN_API Tensor unsqueeze(const Tensor& self, std::int64_t dim);
TERN_API Tensor as_strided(const Tensor& self, IntArrayRef sizes, IntArrayRef strides,
                           std::optional<std::int64_t> offset = std::nullopt);
/// Pieces of `split_size` (the last may be smaller).
TERN_API std::vector<Tensor> split(const Tensor& self, std::int64_t split_size,
                                   std::int64_t dim = 0);
/// At most `chunks` pieces of equal size (the last may be smaller).
TERN_API std::vector<Tensor> chunk(const Tensor& self, std::int64_t chunks, std::int64_t dim = 0);
TERN_API std::vector<Tensor> unbind(const Tensor& self, std::int64_t dim = 0);
/// Sums the dimensions that broadcasting from `sizes` would have added.
TERN_API Tensor sum_to_size(const Tensor& self, IntArrayRef sizes);

}  // namespace tern
