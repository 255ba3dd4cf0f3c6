#pragma once

#include <tern/core/ops/linalg/distance.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/nn/options/distance.h>

namespace tern::nn::functional {

/// Returns the cosine of the angle between vectors; see tern::cosine_similarity().
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                                const CosineSimilarityFuncOptions& options = {}) {
  return tern::cosine_similarity(x1, x2, options.dim(), options.eps());
}
/// Returns the norm of x1 - x2 + eps over the last dimension; see tern::pairwise_distance().
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                                const PairwiseDistanceFuncOptions& options = {}) {
  return tern::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}
/// Returns the distances between all pairs of rows; see tern::pdist().
inline Tensor pdist(const Tensor& input, double p = 2) { return tern::pdist(input, p); }

}  // namespace tern::nn::functional
