#pragma once

#include <tern/core/ops/nn/batch_norm.h>
#include <tern/nn/options/batch_norm.h>

namespace tern::nn::functional {

/// Normalises each channel, dimension 1, over the batch: (x - mean) / sqrt(var + eps) * weight +
/// bias; see tern::batch_norm().
///
/// In training, mean and biased variance are those of the batch, and running_mean and running_var
/// (if defined) move by the share `momentum` towards the batch's mean and unbiased variance.
/// Otherwise running_mean and running_var are used.
///
/// Shape: input [N, C, ...], statistics, weight and bias [C]
/// Throws: ShapeError when the sizes do not fit, and in training when a channel has only one value.
inline Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                         const BatchNormFuncOptions& options = {}) {
  return tern::batch_norm(input, options.weight(), options.bias(), running_mean, running_var,
                          options.training(), options.momentum(), options.eps());
}
/// Normalises each channel of each sample; see tern::instance_norm().
inline Tensor instance_norm(const Tensor& input, const InstanceNormFuncOptions& options = {}) {
  return tern::instance_norm(input, options.weight(), options.bias(), options.running_mean(),
                             options.running_var(), options.use_input_stats(), options.momentum(),
                             options.eps());
}

}  // namespace tern::nn::functional
