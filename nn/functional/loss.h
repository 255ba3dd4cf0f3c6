#pragma once

#include <tern/core/ops/loss/binary_cross_entropy.h>
#include <tern/core/ops/loss/class_loss.h>
#include <tern/core/ops/loss/ctc_loss.h>
#include <tern/core/ops/loss/regression_loss.h>
#include <tern/nn/options/loss.h>

namespace tern::nn::functional {

/// Returns the squared error (input - target)^2; see tern::mse_loss().
inline Tensor mse_loss(const Tensor& input, const Tensor& target,
                       const MSELossFuncOptions& options = {}) {
  return tern::mse_loss(input, target, options.reduction());
}
/// Returns the distance |input - target|; see tern::l1_loss().
inline Tensor l1_loss(const Tensor& input, const Tensor& target,
                      const L1LossFuncOptions& options = {}) {
  return tern::l1_loss(input, target, options.reduction());
}
/// Returns the squared error near 0 and the distance elsewhere; see tern::smooth_l1_loss().
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             const SmoothL1LossFuncOptions& options = {}) {
  return tern::smooth_l1_loss(input, target, options.reduction(), options.beta().value_or(1.0));
}
/// Returns the same with `beta`. Throws Error if the options have a beta, too.
TERN_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                               const SmoothL1LossFuncOptions& options, StrictNumber beta);
/// Returns the squared error near 0 and a multiple of the distance elsewhere; see
/// tern::huber_loss().
inline Tensor huber_loss(const Tensor& input, const Tensor& target,
                         const HuberLossFuncOptions& options = {}) {
  return tern::huber_loss(input, target, options.reduction(), options.delta());
}
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
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                   const BinaryCrossEntropyFuncOptions& options = {}) {
  return tern::binary_cross_entropy(input, target, options.weight(), options.reduction());
}
/// Returns the binary cross-entropy of sigmoid(input); see
/// tern::binary_cross_entropy_with_logits().
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {}) {
  return tern::binary_cross_entropy_with_logits(input, target, options.weight(),
                                                options.pos_weight(), options.reduction());
}
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
/// Returns the connectionist temporal classification loss; see tern::ctc_loss().
inline Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                       const Tensor& target_lengths, const CTCLossFuncOptions& options = {}) {
  return tern::ctc_loss(log_probs, targets, input_lengths, target_lengths, options.blank(),
                        options.reduction(), options.zero_infinity());
}

}  // namespace tern::nn::functional
