#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <tern/core/ops/loss/reduction.h>
#include <tern/nn/options/loss.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of MultiLabelMarginLoss and SoftMarginLoss.
using MultiLabelMarginLossOptions = MSELossOptions;
using SoftMarginLossOptions = MSELossOptions;

/// Options of HingeEmbeddingLoss.
struct HingeEmbeddingLossOptions {
  /// The distance from which a target of -1 costs nothing.
  TERN_ARG(double, margin) = 1.0;
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of MarginRankingLoss.
struct MarginRankingLossOptions {
  /// The difference, or the cosine for a target of -1, that still costs nothing.
  TERN_ARG(double, margin) = 0.0;
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};
/// Options of CosineEmbeddingLoss.
using CosineEmbeddingLossOptions = MarginRankingLossOptions;

/// Options of MultiMarginLoss.
struct MultiMarginLossOptions {
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
struct MultiLabelSoftMarginLossOptions {
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// How the losses of the samples are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of TripletMarginLoss.
struct TripletMarginLossOptions {
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
struct TripletMarginWithDistanceLossOptions {
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
}  // namespace functional
}  // namespace tern::nn
