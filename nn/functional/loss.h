#pragma once

#include <tern/core/ops/loss.h>
#include <tern/nn/options/loss.h>

namespace tern::nn::functional {

/// (input - target)^2.
inline Tensor mse_loss(const Tensor& input, const Tensor& target,
                       const MSELossFuncOptions& options = {}) {
  return tern::mse_loss(input, target, options.reduction());
}
/// -(t log x + (1 - t) log(1 - x)) of probabilities x.
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                   const BinaryCrossEntropyFuncOptions& options = {}) {
  return tern::binary_cross_entropy(input, target, options.weight(), options.reduction());
}
/// The same of sigmoid(input), computed without overflow.
inline Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target,
    const BinaryCrossEntropyWithLogitsFuncOptions& options = {}) {
  return tern::binary_cross_entropy_with_logits(input, target, options.weight(),
                                                options.pos_weight(), options.reduction());
}
/// -input[target], of log-probabilities.
inline Tensor nll_loss(const Tensor& input, const Tensor& target,
                       const NLLLossFuncOptions& options = {}) {
  return tern::nll_loss(input, target, options.weight(), options.reduction(),
                        options.ignore_index());
}
/// nll_loss of log_softmax(input).
inline Tensor cross_entropy(const Tensor& input, const Tensor& target,
                            const CrossEntropyFuncOptions& options = {}) {
  return tern::cross_entropy_loss(input, target, options.weight(), options.reduction(),
                                  options.ignore_index(), options.label_smoothing());
}

}  // namespace tern::nn::functional
