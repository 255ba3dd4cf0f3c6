#pragma once

#include <tern/nn/module/stateless.h>
#include <tern/nn/module/weighted_loss.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/margin_loss.h>

// Losses that penalise a score, a distance or an angle within a margin. They reduce to their mean
// unless the options say otherwise.

namespace tern::nn {

/// The input x, a distance, for a target of 1, and max(0, margin - x) for -1; by default the mean.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API HingeEmbeddingLossImpl
    : public detail::Stateless<HingeEmbeddingLossImpl, HingeEmbeddingLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::hinge_embedding_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(HingeEmbeddingLoss);

/// Logistic loss log(1 + e^(-target * input)) for targets 1 and -1, by default its mean.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API SoftMarginLossImpl
    : public detail::Stateless<SoftMarginLossImpl, SoftMarginLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::soft_margin_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(SoftMarginLoss);

/// Hinge loss of class scores x: sum_i max(0, margin - x[t] + x[i])^p / C over the classes i other
/// than the target t, by default its mean over the samples.
///
/// Shape: input [N, C] or [C]; int64 target [N] or [] -> [] ([N] with reduction kNone)
/// Buffers: weight [C], if given
class TERN_API MultiMarginLossImpl
    : public detail::WeightedLoss<MultiMarginLossImpl, MultiMarginLossOptions> {
 public:
  using WeightedLoss::WeightedLoss;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::multi_margin_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(MultiMarginLoss);

/// Hinge loss of class scores for samples with several labels, by default its mean over the
/// samples. A row of the target lists the labels up to the first -1.
///
/// Shape: input [N, C] or [C]; int64 target of the same sizes -> [] ([N] with reduction kNone)
class TERN_API MultiLabelMarginLossImpl
    : public detail::Stateless<MultiLabelMarginLossImpl, MultiLabelMarginLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::multilabel_margin_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(MultiLabelMarginLoss);

/// Binary cross-entropy of sigmoid(input), averaged over the classes; by default its mean over the
/// samples.
///
/// Shape: input and target [.., C] -> [] ([..] with reduction kNone)
/// Buffers: weight [C], if given
class TERN_API MultiLabelSoftMarginLossImpl
    : public detail::WeightedLoss<MultiLabelSoftMarginLossImpl, MultiLabelSoftMarginLossOptions> {
 public:
  using WeightedLoss::WeightedLoss;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see nn::functional::multilabel_soft_margin_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(MultiLabelSoftMarginLoss);

/// max(0, -target (input1 - input2) + margin): a target of 1 ranks the first input higher, -1 the
/// second; by default the mean.
///
/// Shape: three tensors of one shape -> [] (that shape with reduction kNone)
class TERN_API MarginRankingLossImpl
    : public detail::Stateless<MarginRankingLossImpl, MarginRankingLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see nn::functional::margin_ranking_loss().
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
};
TERN_MODULE(MarginRankingLoss);

/// 1 - c for a target of 1 and max(0, c - margin) for -1, where c is the cosine of the angle
/// between two vectors; by default the mean.
///
/// Shape: inputs [N, D] and target [N], or [D] and [] -> [] ([N] with reduction kNone)
class TERN_API CosineEmbeddingLossImpl
    : public detail::Stateless<CosineEmbeddingLossImpl, CosineEmbeddingLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::cosine_embedding_loss().
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);
};
TERN_MODULE(CosineEmbeddingLoss);

/// max(0, |anchor - positive| - |anchor - negative| + margin), by default its mean (Balntas et al.,
/// 2016).
///
/// Shape: three tensors [.., D] -> [] ([..] with reduction kNone)
class TERN_API TripletMarginLossImpl
    : public detail::Stateless<TripletMarginLossImpl, TripletMarginLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see nn::functional::triplet_margin_loss().
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
};
TERN_MODULE(TripletMarginLoss);

/// TripletMarginLoss with a distance of your own.
///
/// Shape: three tensors for which the distance has a meaning -> [] (its shape with reduction kNone)
///
/// Example:
///   auto cosine = [](const Tensor& a, const Tensor& b) { return 1 - cosine_similarity(a, b); };
///   nn::TripletMarginWithDistanceLoss loss(
///       nn::TripletMarginWithDistanceLossOptions().distance_function(cosine).margin(0.5));
class TERN_API TripletMarginWithDistanceLossImpl
    : public detail::Stateless<TripletMarginWithDistanceLossImpl,
                               TripletMarginWithDistanceLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see nn::functional::triplet_margin_with_distance_loss().
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);
};
TERN_MODULE(TripletMarginWithDistanceLoss);

}  // namespace tern::nn
