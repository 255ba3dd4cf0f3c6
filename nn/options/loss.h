#pragma once

#include <cstdint>

#include <tern/core/ops/loss.h>
#include <tern/nn/options/options_arg.h>

namespace tern::nn {

/// Options of MSELoss.
struct MSELossOptions {
  /// Sets reduction.
  MSELossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
};

/// Options of BCELoss.
struct BCELossOptions {
  /// The factor of each element's loss; broadcasts to the input.
  TERN_ARG(Tensor, weight);
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of BCEWithLogitsLoss.
struct BCEWithLogitsLossOptions {
  /// The factor of each element's loss; broadcasts to the input.
  TERN_ARG(Tensor, weight);
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
  /// The factor of the positive term; broadcasts to the input.
  TERN_ARG(Tensor, pos_weight);
};

/// Options of nn::functional::nll_loss.
struct NLLLossOptions {
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// Targets with this class number are ignored.
  TERN_ARG(std::int64_t, ignore_index) = -100;
  /// How the losses of the elements are reduced; the mean is weighted.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of CrossEntropyLoss.
struct CrossEntropyLossOptions {
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// Targets with this class number are ignored.
  TERN_ARG(std::int64_t, ignore_index) = -100;
  /// How the losses of the elements are reduced; the mean is weighted.
  TERN_ARG(Reduction, reduction) = kMean;
  /// The share of each target that is spread evenly over all classes, from 0 to 1.
  TERN_ARG(double, label_smoothing) = 0.0;
};

namespace functional {
/// Options of the losses in nn::functional; the same as those of the modules.
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
}  // namespace functional
}  // namespace tern::nn
