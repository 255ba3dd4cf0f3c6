#pragma once

#include <tern/core/ops/loss.h>
#include <tern/nn/options/loss.h>

namespace tern::nn::functional {

/// Returns the squared error (input - target)^2; see tern::mse_loss().
inline Tensor mse_loss(const Tensor& input, const Tensor& target,
                       const MSELossFuncOptions& options = {}) {
  return tern::mse_loss(input, target, options.reduction());
}
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

}  // namespace tern::nn::functional
