#pragma once

#include <cstdint>

#include <tern/core/ops/loss.h>
#include <tern/nn/options_arg.h>

namespace tern::nn {

/// Options of MSELoss.
struct MSELossOptions {
  MSELossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  TERN_ARG(Reduction, reduction);
};

/// Options of BCELoss.
struct BCELossOptions {
  /// Factor of each element's loss; broadcasts.
  TERN_ARG(Tensor, weight);
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of BCEWithLogitsLoss.
struct BCEWithLogitsLossOptions {
  /// Factor of each element's loss; broadcasts.
  TERN_ARG(Tensor, weight);
  TERN_ARG(Reduction, reduction) = kMean;
  /// Factor of the positive term; broadcasts.
  TERN_ARG(Tensor, pos_weight);
};

/// Options of NLLLoss.
struct NLLLossOptions {
  /// Factor of each class.
  TERN_ARG(Tensor, weight);
  /// A target that does not count.
  TERN_ARG(std::int64_t, ignore_index) = -100;
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of CrossEntropyLoss.
struct CrossEntropyLossOptions {
  /// Factor of each class.
  TERN_ARG(Tensor, weight);
  /// A target that does not count.
  TERN_ARG(std::int64_t, ignore_index) = -100;
  TERN_ARG(Reduction, reduction) = kMean;
  /// The share of each target that is spread over all classes.
  TERN_ARG(double, label_smoothing) = 0.0;
};

namespace functional {
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
}  // namespace functional
}  // namespace tern::nn
