#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/ops/loss/reduction.h>
#include <tern/nn/options/options_arg.h>

namespace tern {
/// The type of kBatchMean.
struct BatchMean {};
/// The reduction of KLDivLoss alone that divides the sum by the size of dimension 0.
constexpr BatchMean kBatchMean;
}  // namespace tern

namespace tern::nn {

/// Options of losses that can only choose their reduction.
struct MSELossOptions {
  /// Sets reduction.
  MSELossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
};
/// Options of L1Loss.
using L1LossOptions = MSELossOptions;

/// Options of SmoothL1Loss.
struct SmoothL1LossOptions {
  /// Sets reduction.
  SmoothL1LossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
  /// The distance from which the loss is linear; nullopt means 1.
  TERN_ARG(std::optional<double>, beta);
};

/// Options of HuberLoss.
struct HuberLossOptions {
  /// Sets reduction.
  HuberLossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
  /// The distance from which the loss is linear.
  TERN_ARG(double, delta) = 1.0;
};

/// The reduction of KLDivLoss: one of every loss, or kBatchMean.
struct KLDivReduction {
  /// Takes a reduction of every loss.
  constexpr KLDivReduction(Reduction reduction) : sum(reduction) {}
  /// Takes kBatchMean.
  constexpr KLDivReduction(BatchMean /*reduction*/) : sum(kSum), is_batch_mean(true) {}
  /// How the terms are reduced first.
  Reduction sum;
  /// True for kBatchMean: the sum is divided by the size of dimension 0.
  bool is_batch_mean = false;
};

/// Options of KLDivLoss.
struct KLDivLossOptions {
  /// Sets reduction.
  KLDivLossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  KLDivLossOptions(BatchMean reduction) : reduction_(reduction) {}
  /// How the terms are reduced. `kBatchMean` gives the divergence of a batch. Default: `kMean`.
  TERN_ARG(KLDivReduction, reduction);
  /// True: the target holds logarithms.
  TERN_ARG(bool, log_target) = false;
};

/// Options of PoissonNLLLoss.
struct PoissonNLLLossOptions {
  /// True: the input holds logarithms.
  TERN_ARG(bool, log_input) = true;
  /// True: adds Stirling's approximation of the term that depends on the target alone.
  TERN_ARG(bool, full) = false;
  /// A number added to the input before its logarithm is taken, without `log_input`.
  TERN_ARG(double, eps) = 1e-8;
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of GaussianNLLLoss.
struct GaussianNLLLossOptions {
  /// True: adds the constant term log(2 pi) / 2.
  TERN_ARG(bool, full) = false;
  /// Smaller variances count as this one.
  TERN_ARG(double, eps) = 1e-6;
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
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

/// Options of NLLLoss.
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

/// Options of CTCLoss.
struct CTCLossOptions {
  /// The class that stands for no label.
  TERN_ARG(std::int64_t, blank) = 0;
  /// How the losses of the samples are reduced; the mean divides by the target lengths first.
  TERN_ARG(Reduction, reduction) = kMean;
  /// True: an infinite loss and its gradient become 0.
  TERN_ARG(bool, zero_infinity) = false;
};

namespace functional {
/// Options of the losses in nn::functional; the same as those of the modules.
using L1LossFuncOptions = L1LossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using PoissonNLLLossFuncOptions = PoissonNLLLossOptions;
using GaussianNLLLossFuncOptions = GaussianNLLLossOptions;
using CTCLossFuncOptions = CTCLossOptions;
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
}  // namespace functional
}  // namespace tern::nn
