#pragma once

#include <tern/nn/module/stateless.h>
#include <tern/nn/module/weighted_loss.h>
#include <tern/nn/module_holder.h>
#include <tern/nn/options/loss.h>

// Losses reduce to their mean unless the options say otherwise. Weights are buffers: they move with
// the module and are saved.

namespace tern::nn {

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

/// Connectionist temporal classification (Graves et al., 2006): -log of the probability of a
/// sequence of labels that is shorter than its input and not aligned with it.
///
/// Shape: log_probs [T, N, C] or [T, C]; targets [N, S] or all after each other; N lengths each ->
/// [] ([N] with reduction kNone)
///
/// Example:
///   Tensor loss = nn::CTCLoss()(logits.log_softmax(2), labels, input_lengths, label_lengths);
class TERN_API CTCLossImpl : public detail::Stateless<CTCLossImpl, CTCLossOptions> {
 public:
  using Stateless::Stateless;
  void pretty_print(std::ostream& stream) const override;
  /// Returns the loss; see tern::ctc_loss().
  Tensor forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                 const Tensor& target_lengths);
};
TERN_MODULE(CTCLoss);

}  // namespace tern::nn
