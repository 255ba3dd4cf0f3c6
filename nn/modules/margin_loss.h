#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <tern/core/ops/loss/margin_loss.h>
#include <tern/core/ops/loss/reduction.h>
#include <tern/nn/module/stateless.h>
#include <tern/nn/module/weighted_loss.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/loss.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/options/reduction_option.h>

// Losses that penalise a score, a distance or an angle within a margin. They reduce to their mean
// unless the options say otherwise.

namespace tern::nn {

/// Options of MultiLabelMarginLoss and SoftMarginLoss.
using MultiLabelMarginLossOptions = MSELossOptions;
using SoftMarginLossOptions = MSELossOptions;

/// Options of HingeEmbeddingLoss.
struct HingeEmbeddingLossOptions : detail::ReductionOption {
  /// The distance from which a target of -1 costs nothing.
  TERN_ARG(double, margin) = 1.0;
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of MarginRankingLoss.
struct MarginRankingLossOptions : detail::ReductionOption {
  /// The difference, or the cosine for a target of -1, that still costs nothing.
  TERN_ARG(double, margin) = 0.0;
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};
/// Options of CosineEmbeddingLoss.
using CosineEmbeddingLossOptions = MarginRankingLossOptions;

/// Options of MultiMarginLoss.
struct MultiMarginLossOptions : detail::ReductionOption {
  /// The power of each violation of the margin, 1 or 2.
  TERN_ARG(std::int64_t, p) = 1;
  /// How much higher the score of the target must be.
  TERN_ARG(double, margin) = 1.0;
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of MultiLabelSoftMarginLoss.
struct MultiLabelSoftMarginLossOptions : detail::ReductionOption {
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of TripletMarginLoss.
struct TripletMarginLossOptions : detail::ReductionOption {
  /// How much farther the negative must be than the positive; greater than 0.
  TERN_ARG(double, margin) = 1.0;
  /// The norm of the distances.
  TERN_ARG(double, p) = 2.0;
  /// A number added to each difference.
  TERN_ARG(double, eps) = 1e-6;
  /// True: the distance of positive and negative counts where it is smaller than that of anchor and
  /// negative.
  TERN_ARG(bool, swap) = false;
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of TripletMarginWithDistanceLoss.
struct TripletMarginWithDistanceLossOptions : detail::ReductionOption {
  /// Returns the distance of two tensors, at least 0.
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  /// The distance; nullopt means tern::pairwise_distance().
  TERN_ARG(std::optional<distance_function_t>, distance_function);
  /// How much farther the negative must be than the positive; greater than 0.
  TERN_ARG(double, margin) = 1.0;
  /// True: the distance of positive and negative counts where it is smaller than that of anchor and
  /// negative.
  TERN_ARG(bool, swap) = false;
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

namespace functional {

/// Options of the losses in nn::functional; the same as those of the modules.
using HingeEmbeddingLossFuncOptions = HingeEmbeddingLossOptions;
using MarginRankingLossFuncOptions = MarginRankingLossOptions;
using CosineEmbeddingLossFuncOptions = CosineEmbeddingLossOptions;
using SoftMarginLossFuncOptions = SoftMarginLossOptions;
using MultiMarginLossFuncOptions = MultiMarginLossOptions;
using MultilabelMarginLossFuncOptions = MultiLabelMarginLossOptions;
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossOptions;
using TripletMarginLossFuncOptions = TripletMarginLossOptions;
using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;

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

}  // namespace functional

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
