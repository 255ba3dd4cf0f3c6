#pragma once

#include <tern/core/ops/loss/margin_loss.h>
#include <tern/nn/options/margin_loss.h>

namespace tern::nn::functional {

/// Returns the distance for a target of 1 and a hinge for -1; see tern::hinge_embedding_loss().
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                   const HingeEmbeddingLossFuncOptions& options = {}) {
  return tern::hinge_embedding_loss(input, target, options.margin(), options.reduction());
}
/// Returns the logistic loss of targets 1 and -1; see tern::soft_margin_loss().
inline Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                               const SoftMarginLossFuncOptions& options = {}) {
  return tern::soft_margin_loss(input, target, options.reduction());
}
/// Returns the hinge loss of class scores; see tern::multi_margin_loss().
inline Tensor multi_margin_loss(const Tensor& input, const Tensor& target,
                                const MultiMarginLossFuncOptions& options = {}) {
  return tern::multi_margin_loss(input, target, options.p(), options.margin(), options.weight(),
                                 options.reduction());
}
/// Returns the hinge loss of samples with several labels; see tern::multilabel_margin_loss().
inline Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                                     const MultilabelMarginLossFuncOptions& options = {}) {
  return tern::multilabel_margin_loss(input, target, options.reduction());
}
/// Returns the binary cross-entropy -w (t log sigmoid(x) + (1 - t) log sigmoid(-x)), averaged over
/// the last dimension, the classes; by default its mean over the samples.
TERN_API Tensor
multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                            const MultilabelSoftMarginLossFuncOptions& options = {});
/// Returns tern::margin_ranking_loss(). Throws ShapeError unless the tensors have the same number
/// of dimensions.
TERN_API Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target,
                                    const MarginRankingLossFuncOptions& options = {});
/// Returns the loss of the angle between vectors; see tern::cosine_embedding_loss().
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                    const Tensor& target,
                                    const CosineEmbeddingLossFuncOptions& options = {}) {
  return tern::cosine_embedding_loss(input1, input2, target, options.margin(), options.reduction());
}
/// Returns tern::triplet_margin_loss(). Throws Error unless the margin is greater than 0.
TERN_API Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                    const Tensor& negative,
                                    const TripletMarginLossFuncOptions& options = {});
/// Returns max(0, d(anchor, positive) - d(anchor, negative) + margin) with the distance d of the
/// options, by default its mean. Throws Error unless the margin is greater than 0, ShapeError
/// unless the tensors have the same number of dimensions.
TERN_API Tensor triplet_margin_with_distance_loss(
    const Tensor& anchor, const Tensor& positive, const Tensor& negative,
    const TripletMarginWithDistanceLossFuncOptions& options = {});

}  // namespace tern::nn::functional
