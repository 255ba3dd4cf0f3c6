#pragma once

#include <cstdint>

#include <tern/core/ops/linalg/distance.h>
#include <tern/core/ops/reduce/norm.h>
#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of CosineSimilarity.
struct CosineSimilarityOptions {
  /// The dimension of the vectors.
  TERN_ARG(std::int64_t, dim) = 1;
  /// The least length that a vector is divided by.
  TERN_ARG(double, eps) = 1e-8;
};

/// Options of PairwiseDistance.
struct PairwiseDistanceOptions {
  /// The order of the norm.
  TERN_ARG(double, p) = 2;
  /// A number added to each difference.
  TERN_ARG(double, eps) = 1e-6;
  /// True: the result keeps the last dimension, with size 1.
  TERN_ARG(bool, keepdim) = false;
};

namespace functional {

/// Options of cosine_similarity; the same as those of the layer.
using CosineSimilarityFuncOptions = CosineSimilarityOptions;
/// Options of pairwise_distance; the same as those of the layer.
using PairwiseDistanceFuncOptions = PairwiseDistanceOptions;

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

}  // namespace functional

/// The cosine of the angle between vectors: x1 x2 / (max(|x1|, eps) * max(|x2|, eps)).
///
/// Shape: [a, m, b] x [a, m, b] -> [a, b] with dim = 1
class TERN_API CosineSimilarityImpl : public Cloneable<CosineSimilarityImpl> {
 public:
  /// Makes the module.
  explicit CosineSimilarityImpl(const CosineSimilarityOptions& options_ = {});
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the cosines. Throws IndexError unless the inputs have the dimension `dim`.
  Tensor forward(const Tensor& x1, const Tensor& x2);

  /// The options given to the constructor.
  CosineSimilarityOptions options;
};
TERN_MODULE(CosineSimilarity);

/// The p-norm of x1 - x2 + eps over the last dimension.
///
/// Shape: [N, m] x [N, m] -> [N], or [N, 1] with keepdim; without N as well
class TERN_API PairwiseDistanceImpl : public Cloneable<PairwiseDistanceImpl> {
 public:
  /// Makes the module.
  explicit PairwiseDistanceImpl(const PairwiseDistanceOptions& options_ = {});
  void reset() override {}
  void pretty_print(std::ostream& stream) const override;
  /// Returns the distances.
  Tensor forward(const Tensor& x1, const Tensor& x2);

  /// The options given to the constructor.
  PairwiseDistanceOptions options;
};
TERN_MODULE(PairwiseDistance);

}  // namespace tern::nn
