#pragma once

#include <cstdint>
#include <optional>

#include <tern/core/ops/loss/binary_cross_entropy.h>
#include <tern/core/ops/loss/class_loss.h>
#include <tern/core/ops/loss/reduction.h>
#include <tern/core/ops/loss/regression_loss.h>
#include <tern/nn/module/stateless.h>
#include <tern/nn/module/weighted_loss.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/modules/ctc_loss.h>
#include <tern/nn/options/options_arg.h>
#include <tern/nn/options/reduction_option.h>

// Losses reduce to their mean unless the options say otherwise. Weights are buffers: they move with
// the module and are saved.

namespace tern::nn {

/// Options of losses that can only choose their reduction.
struct MSELossOptions : detail::ReductionOption {
  /// Sets reduction.
  MSELossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  template <detail::ConstantOf<MSELossOptions> T>
  MSELossOptions(const T& /*reduction*/) : MSELossOptions(T::value) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
};
/// Options of L1Loss.
using L1LossOptions = MSELossOptions;

/// Options of SmoothL1Loss.
struct SmoothL1LossOptions : detail::ReductionOption {
  /// Sets reduction.
  SmoothL1LossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  template <detail::ConstantOf<SmoothL1LossOptions> T>
  SmoothL1LossOptions(const T& /*reduction*/) : SmoothL1LossOptions(T::value) {}
  /// How the losses of the elements are reduced. Default: `kMean`.
  TERN_ARG(Reduction, reduction);
  /// The distance from which the loss is linear; nullopt means 1.
  TERN_ARG(std::optional<double>, beta);
};

/// Options of HuberLoss.
struct HuberLossOptions : detail::ReductionOption {
  /// Sets reduction.
  HuberLossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  template <detail::ConstantOf<HuberLossOptions> T>
  HuberLossOptions(const T& /*reduction*/) : HuberLossOptions(T::value) {}
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
  template <detail::ConstantOf<KLDivReduction> T>
  constexpr KLDivReduction(const T& /*reduction*/) : KLDivReduction(T::value) {}
  /// How the terms are reduced first.
  Reduction sum;
  /// True for kBatchMean: the sum is divided by the size of dimension 0.
  bool is_batch_mean = false;
};

/// Options of KLDivLoss.
struct KLDivLossOptions {
  /// libtorch's name of the type of `reduction`.
  using reduction_t = KLDivReduction;
  /// Sets reduction.
  KLDivLossOptions(Reduction reduction = kMean) : reduction_(reduction) {}
  template <detail::ConstantOf<KLDivLossOptions> T>
  KLDivLossOptions(const T& /*reduction*/) : KLDivLossOptions(T::value) {}
  KLDivLossOptions(BatchMean reduction) : reduction_(reduction) {}
  /// How the terms are reduced. `kBatchMean` gives the divergence of a batch. Default: `kMean`.
  TERN_ARG(KLDivReduction, reduction);
  /// True: the target holds logarithms.
  TERN_ARG(bool, log_target) = false;
};

/// Options of PoissonNLLLoss.
struct PoissonNLLLossOptions : detail::ReductionOption {
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
struct GaussianNLLLossOptions : detail::ReductionOption {
  /// True: adds the constant term log(2 pi) / 2.
  TERN_ARG(bool, full) = false;
  /// Smaller variances count as this one.
  TERN_ARG(double, eps) = 1e-6;
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of BCELoss.
struct BCELossOptions : detail::ReductionOption {
  /// The factor of each element's loss; broadcasts to the input.
  TERN_ARG(Tensor, weight);
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of BCEWithLogitsLoss.
struct BCEWithLogitsLossOptions : detail::ReductionOption {
  /// The factor of each element's loss; broadcasts to the input.
  TERN_ARG(Tensor, weight);
  /// How the losses of the elements are reduced.
  TERN_ARG(Reduction, reduction) = kMean;
  /// The factor of the positive term; broadcasts to the input.
  TERN_ARG(Tensor, pos_weight);
};

/// Options of NLLLoss.
struct NLLLossOptions : detail::ReductionOption {
  /// The factor of each class, [C].
  TERN_ARG(Tensor, weight);
  /// Targets with this class number are ignored.
  TERN_ARG(std::int64_t, ignore_index) = -100;
  /// How the losses of the elements are reduced; the mean is weighted.
  TERN_ARG(Reduction, reduction) = kMean;
};

/// Options of CrossEntropyLoss.
struct CrossEntropyLossOptions : detail::ReductionOption {
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
using L1LossFuncOptions = L1LossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using PoissonNLLLossFuncOptions = PoissonNLLLossOptions;
using GaussianNLLLossFuncOptions = GaussianNLLLossOptions;
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;

/// Returns the squared error (input - target)^2; see tern::mse_loss().
TERN_API Tensor mse_loss(const Tensor& input, const Tensor& target,
                         const MSELossFuncOptions& options = {});
/// Returns the distance |input - target|; see tern::l1_loss().
inline Tensor l1_loss(const Tensor& input, const Tensor& target,
                      const L1LossFuncOptions& options = {}) {
  return tern::l1_loss(input, target, options.reduction());
}
/// Returns the squared error near 0 and the distance elsewhere; see tern::smooth_l1_loss().
TERN_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                               const SmoothL1LossFuncOptions& options = {});
/// Returns the same with `beta`. Throws Error if the options have a beta, too.
TERN_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                               const SmoothL1LossFuncOptions& options, StrictNumber beta);
/// Returns the squared error near 0 and a multiple of the distance elsewhere; see
/// tern::huber_loss().
TERN_API Tensor huber_loss(const Tensor& input, const Tensor& target,
                           const HuberLossFuncOptions& options = {});
/// Returns the Kullback-Leibler divergence of the target from the input; see tern::kl_div().
/// `kBatchMean` divides the sum by the size of dimension 0.
TERN_API Tensor kl_div(const Tensor& input, const Tensor& target,
                       const KLDivFuncOptions& options = {});
/// Returns the negative log-likelihood of counts; see tern::poisson_nll_loss().
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                               const PoissonNLLLossFuncOptions& options = {}) {
  return tern::poisson_nll_loss(input, target, options.log_input(), options.full(), options.eps(),
                                options.reduction());
}
/// Returns the negative log-likelihood (log v + (input - target)^2 / v) / 2 of targets under normal
/// distributions with the input as means. The variances v are `var`, but at least eps; the gradient
/// of `var` ignores this bound.
///
/// Shape: `var` of the input's shape, with one size of 1 instead, or without the last dimension
/// Throws: ShapeError for another shape, Error for a negative variance, which on a GPU costs a wait
TERN_API Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                                  const GaussianNLLLossFuncOptions& options = {});
/// Returns the same with one variance.
TERN_API Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, StrictNumber var,
                                  const GaussianNLLLossFuncOptions& options = {});
/// Returns the binary cross-entropy of probabilities; see tern::binary_cross_entropy().
TERN_API Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                     const BinaryCrossEntropyFuncOptions& options = {});
/// Returns the binary cross-entropy of sigmoid(input); see
/// tern::binary_cross_entropy_with_logits().
TERN_API Tensor
binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                 const BinaryCrossEntropyWithLogitsFuncOptions& options = {});
/// Returns the negative log-likelihood of log-probabilities; see tern::nll_loss().
inline Tensor nll_loss(const Tensor& input, const Tensor& target,
                       const NLLLossFuncOptions& options = {}) {
  return tern::nll_loss(input, target, options.weight(), options.reduction(),
                        options.ignore_index());
}
/// Returns the cross-entropy of log_softmax(input); see tern::cross_entropy_loss().
inline Tensor cross_entropy(const Tensor& input, const Tensor& target,
                            const CrossEntropyFuncOptions& options = {}) {
  return tern::cross_entropy_loss(input, target, options.weight(), options.reduction(),
                                  options.ignore_index(), options.label_smoothing());
}

}  // namespace functional

/// Squared error (input - target)^2, by default its mean over all elements.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API MSELossImpl : public detail::Stateless<MSELossImpl, MSELossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::mse_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(MSELoss);

/// Distance |input - target|, by default its mean over all elements.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API L1LossImpl : public detail::Stateless<L1LossImpl, L1LossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::l1_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(L1Loss);

/// Squared error d^2 / (2 beta) for distances d = |input - target| below beta, else d - beta / 2;
/// by default the mean over all elements (Girshick, 2015).
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API SmoothL1LossImpl : public detail::Stateless<SmoothL1LossImpl, SmoothL1LossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::smooth_l1_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(SmoothL1Loss);

/// Squared error d^2 / 2 for distances d = |input - target| up to delta, else
/// delta (d - delta / 2); by default the mean over all elements (Huber, 1964).
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API HuberLossImpl : public detail::Stateless<HuberLossImpl, HuberLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::huber_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(HuberLoss);

/// Binary cross-entropy -(t log x + (1 - t) log(1 - x)) of probabilities x, by default its mean.
/// Each log is at least -100.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
/// Buffers: weight, if given
class TERN_API BCELossImpl : public detail::WeightedLoss<BCELossImpl, BCELossOptions> {
 public:
  using WeightedLoss::WeightedLoss;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::binary_cross_entropy().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(BCELoss);

/// Binary cross-entropy of sigmoid(input), computed without overflow, by default its mean.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
/// Buffers: weight and pos_weight, if given
class TERN_API BCEWithLogitsLossImpl : public Cloneable<BCEWithLogitsLossImpl> {
 public:
  /// Makes the module and registers the weights.
  explicit BCEWithLogitsLossImpl(const BCEWithLogitsLossOptions& options_ = {});
  void reset() override;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::binary_cross_entropy_with_logits().
  Tensor forward(const Tensor& input, const Tensor& target);

  /// The options given to the constructor.
  BCEWithLogitsLossOptions options;
  /// The factors of each element's loss and of its positive term; undefined means 1.
  Tensor weight, pos_weight;
};
TERN_MODULE(BCEWithLogitsLoss);

/// Negative log-likelihood -input[target] of log-probabilities, by default its mean.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..]; int64 target [], [N] or [N, d1, ..]
/// Buffers: weight [C], if given
///
/// Example:
///   Tensor loss = nn::NLLLoss()(net(x).log_softmax(1), classes);
class TERN_API NLLLossImpl : public detail::WeightedLoss<NLLLossImpl, NLLLossOptions> {
 public:
  using WeightedLoss::WeightedLoss;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::nll_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(NLLLoss);

/// Cross-entropy -log_softmax(input)[target], by default its mean.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..]; int64 target [], [N] or [N, d1, ..], or class
/// probabilities of the input's shape
/// Buffers: weight [C], if given
class TERN_API CrossEntropyLossImpl
    : public detail::WeightedLoss<CrossEntropyLossImpl, CrossEntropyLossOptions> {
 public:
  using WeightedLoss::WeightedLoss;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::cross_entropy_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(CrossEntropyLoss);

/// Negative log-likelihood of counts under Poisson distributions, whose expectations are e^input,
/// or the input without `log_input`; by default its mean.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
class TERN_API PoissonNLLLossImpl
    : public detail::Stateless<PoissonNLLLossImpl, PoissonNLLLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::poisson_nll_loss().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(PoissonNLLLoss);

/// Negative log-likelihood of targets under normal distributions with the input as means (Nix and
/// Weigend, 1994), by default its mean.
///
/// Shape: input, target and variances of one shape -> [] (the input's shape with reduction kNone);
/// see nn::functional::gaussian_nll_loss() for other variances
class TERN_API GaussianNLLLossImpl
    : public detail::Stateless<GaussianNLLLossImpl, GaussianNLLLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see nn::functional::gaussian_nll_loss().
  Tensor forward(const Tensor& input, const Tensor& target, const Tensor& var);
};
TERN_MODULE(GaussianNLLLoss);

/// Kullback-Leibler divergence of a distribution, the target, from one whose logarithms are the
/// input. The default, the mean over all elements, is no divergence: use `kBatchMean`.
///
/// Shape: input and target of one shape -> [] (the input's shape with reduction kNone)
///
/// Example:
///   Tensor loss = nn::KLDivLoss(kBatchMean)(logits.log_softmax(1), probabilities);
class TERN_API KLDivLossImpl : public detail::Stateless<KLDivLossImpl, KLDivLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::kl_div().
  Tensor forward(const Tensor& input, const Tensor& target);
};
TERN_MODULE(KLDivLoss);

}  // namespace tern::nn
