#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// (input - mean) / sqrt(variance + eps) * weight + bias, mean and biased variance being those of
/// the last dimensions, whose sizes are `normalized_shape`; weight and bias, both of that shape and
/// of the input's dtype, may be missing. Floating dtypes.
/// Throws: ShapeError and DTypeError when the arguments do not fit.
TERN_API Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                           const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

/// (input - mean) / sqrt(variance + eps) * weight + bias for each channel (dimension 1). In
/// training, mean and biased variance are the batch's, and running_mean and running_var (if
/// defined) take a share `momentum` of the mean and the unbiased variance; otherwise the running
/// ones are used. weight and bias may be missing. Shape:  [N, C, ...], statistics and parameters
/// [C], all of one floating dtype. Throws: ShapeError and DTypeError when the arguments do not fit,
/// ShapeError when a channel has one value only in training.
TERN_API Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Tensor& running_mean, const Tensor& running_var, bool training,
                           double momentum, double eps);

}  // namespace tern
