#pragma once

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/tensor.h>

// Losses of probabilities.

namespace tern {

/// Returns the binary cross-entropy -w (t log x + (1 - t) log(1 - x)) of probabilities x = input
/// and t = target, by default its mean. The logs are at least -100. `weight` broadcasts to the
/// input. Throws ShapeError unless the sizes are equal and the weight fits, Error when an input or
/// target lies outside [0, 1] and when the weight requires grad.
TERN_API Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                     const Tensor& weight = {},
                                     Reduction reduction = Reduction::Mean);
/// Returns the binary cross-entropy of sigmoid(input), computed without overflow: (1 - t) x + (1 +
/// (p - 1) t) log(1 + e^-x) with p = pos_weight, by default its mean. `weight` and `pos_weight`
/// broadcast to the input. Throws ShapeError unless input and target have equal sizes, Error when a
/// weight requires grad.
TERN_API Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                                 const Tensor& weight = {},
                                                 const Tensor& pos_weight = {},
                                                 Reduction reduction = Reduction::Mean);

}  // namespace tern
