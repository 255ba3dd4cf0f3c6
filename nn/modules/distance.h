#pragma once

#include <tern/nn/module/cloneable.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/distance.h>

namespace tern::nn {

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
