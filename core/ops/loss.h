#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// What a loss does with its elements.
enum class Reduction : std::uint8_t { None, Mean, Sum };
constexpr Reduction kNone = Reduction::None;
constexpr Reduction kMean = Reduction::Mean;
constexpr Reduction kSum = Reduction::Sum;

/// (input - target)^2.
TERN_API Tensor mse_loss(const Tensor& input, const Tensor& target,
                         Reduction reduction = Reduction::Mean);
/// -w (t log x + (1 - t) log(1 - x)), logs at least -100. Throws ShapeError unless the sizes are
/// equal, Error when an input or target lies outside [0, 1].
TERN_API Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                     const Tensor& weight = {},
                                     Reduction reduction = Reduction::Mean);
/// The same of sigmoid(input), computed without overflow; pos_weight multiplies the positive term.
TERN_API Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                                 const Tensor& weight = {},
                                                 const Tensor& pos_weight = {},
                                                 Reduction reduction = Reduction::Mean);
/// -weight[t] * input[.., t, ..]; input holds log-probabilities with the classes in dimension 1
/// (0 for 1-d), target int64. The mean divides by the sum of the weights used.
TERN_API Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                         Reduction reduction = Reduction::Mean, std::int64_t ignore_index = -100);
/// nll_loss of log_softmax, with optional label smoothing; a floating target of input's shape holds
/// class probabilities.
TERN_API Tensor cross_entropy_loss(const Tensor& input, const Tensor& target,
                                   const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                   std::int64_t ignore_index = -100, double label_smoothing = 0.0);
/// Zeroes each element with probability p and divides the others by 1 - p, when training.
TERN_API Tensor dropout(const Tensor& input, double p, bool train);

}  // namespace tern
