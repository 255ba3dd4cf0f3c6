#pragma once

#include <tern/core/ops/loss/reduction.h>
#include <tern/core/tensor/tensor.h>

// Losses of classes.

namespace tern {

/// Returns the negative log-likelihood -weight[t] * input[n, t, ..] of log-probabilities. The mean
/// divides by the sum of the weights used. Targets equal to `ignore_index` do not count.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..] and int64 target [], [N] or [N, d1, ..]; [1] counts
/// as []; weight [C]
/// Throws: IndexError for a target out of range, ShapeError and DTypeError when the arguments do
/// not fit, Error when the weight requires grad.
TERN_API Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                         Reduction reduction = Reduction::Mean, StrictInt ignore_index = -100);
/// Returns the cross-entropy of log_softmax(input) along the class dimension. An int64 target holds
/// class indices as for nll_loss; a floating target of the input's shape holds class probabilities.
/// `label_smoothing` in [0, 1] mixes the target with the uniform distribution.
///
/// Shape: input [C], [N, C] or [N, C, d1, ..] and target [], [N] or [N, d1, ..], where [1] counts
/// as [], or probabilities of the input's shape; weight [C]
/// Throws: IndexError for a target out of range, ShapeError and DTypeError when the arguments do
/// not fit, Error for a class weight that requires grad and for ignore_index >= 0 with
/// probabilities.
TERN_API Tensor cross_entropy_loss(const Tensor& input, const Tensor& target,
                                   const Tensor& weight = {}, Reduction reduction = Reduction::Mean,
                                   StrictInt ignore_index = -100, double label_smoothing = 0.0);

}  // namespace tern
