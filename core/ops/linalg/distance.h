#pragma once

#include <tern/core/tensor/tensor.h>

// Distances and angles between vectors.

namespace tern {

/// Returns the p-norm distances between each row of `x1` and each row of `x2`; leading dimensions
/// broadcast. `compute_mode` is about p = 2: 0 computes |x|^2 + |y|^2 - 2 x y by a matrix product
/// when a tensor has more than 25 rows, 1 always and 2 never. The product is fast and loses digits
/// of small distances. The gradient of a distance of 0 is 0. Floating dtypes.
///
/// Shape: [..., p, m] x [..., r, m] -> [..., p, r]
TERN_API Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
                      std::optional<StrictInt> compute_mode = std::nullopt);
/// Returns the p-norm distances between all pairs of different rows: row 0 to rows 1, 2, .., then
/// row 1 to rows 2, .., and so on.
///
/// Shape: [n, m] -> [n (n - 1) / 2]
TERN_API Tensor pdist(const Tensor& input, double p = 2);
/// Returns the cosine of the angle between vectors along `dim`: x1 x2 / (max(|x1|, eps) *
/// max(|x2|, eps)). Tensors broadcast.
///
/// Shape: [a, m, b] x [a, m, b] -> [a, b] with dim = 1
TERN_API Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, StrictInt dim = 1,
                                  double eps = 1e-8);

}  // namespace tern
