#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Normalises each sample over its last dimensions (Ba, Kiros and Hinton, 2016): (input - mean) /
/// sqrt(variance + eps) * weight + bias. Mean and biased variance are taken over the last
/// dimensions, whose sizes are `normalized_shape`. weight and bias may be undefined. Floating
/// dtypes.
///
/// Shape: input [..., normalized_shape], weight and bias [normalized_shape], all of one dtype
/// Throws: ShapeError and DTypeError when the arguments do not fit.
TERN_API Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                           const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

/// Normalises each channel (dimension 1) over the batch (Ioffe and Szegedy, 2015): (input - mean) /
/// sqrt(variance + eps) * weight + bias.
///
/// In training, mean and biased variance are computed from the batch, and running_mean and
/// running_var (if defined) move by the fraction `momentum` towards the batch's mean and unbiased
/// variance. Otherwise running_mean and running_var are used. weight and bias may be undefined.
///
/// Shape: input [N, C, ...], statistics, weight and bias [C], all of one floating dtype
/// Throws: ShapeError and DTypeError when the arguments do not fit, ShapeError in training when a
/// channel has only one value.
TERN_API Tensor batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Tensor& running_mean, const Tensor& running_var,
                           StrictBool training, double momentum, double eps);

}  // namespace tern
