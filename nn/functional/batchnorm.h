#pragma once

#include <tern/core/ops/normalize.h>
#include <tern/nn/options/batchnorm.h>

namespace tern::nn::functional {

/// (x - mean) / sqrt(var + eps) * weight + bias for each channel (dimension 1).
///
/// In training, mean and biased variance are the batch's, and running_mean and running_var (if
/// defined) take a share `momentum` of the mean and the unbiased variance; otherwise the running
/// ones are used.
/// Shape:  [N, C, ...], statistics and parameters [C].
/// Throws: ShapeError when the sizes do not fit, or a channel has one value only in training.
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const BatchNormFuncOptions& options = {}) {
  return tern::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                          options.training(), options.momentum(), options.eps());
}

}  // namespace tern::nn::functional
