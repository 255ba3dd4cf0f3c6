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

/// Divides each sample by the root mean square of its last dimensions (Zhang and Sennrich, 2019):
/// input / sqrt(mean(input^2) + eps) * weight; see layer_norm(). `eps` is by default the epsilon of
/// float64 for float64, and that of float32 for the other floating dtypes.
///
/// Shape: input [..., normalized_shape], weight [normalized_shape], both of one dtype
/// Throws: ShapeError and DTypeError when the arguments do not fit.
TERN_API Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape,
                         const Tensor& weight = {}, std::optional<double> eps = std::nullopt);

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

/// Normalises each channel of each sample (Ulyanov et al., 2016): batch_norm() with a separate mean
/// and variance for each sample. With `use_input_stats`, running_mean and running_var (if defined)
/// move towards the averages of the samples' statistics. Otherwise running_mean and running_var are
/// used.
///
/// Shape: input [N, C, ...], statistics, weight and bias [C], all of one floating dtype
/// Throws: ShapeError and DTypeError when the arguments do not fit, ShapeError with
/// `use_input_stats` when a channel of a sample has only one value.
TERN_API Tensor instance_norm(const Tensor& input, const Tensor& weight, const Tensor& bias,
                              const Tensor& running_mean, const Tensor& running_var,
                              StrictBool use_input_stats, double momentum, double eps);

/// Normalises groups of channels of each sample (Wu and He, 2018): cuts the channels, dimension 1,
/// into `num_groups` groups and computes (input - mean) / sqrt(variance + eps) * weight + bias with
/// the mean and the biased variance of each group. weight and bias may be undefined.
///
/// Shape: input [N, C, ...], weight and bias [C], all of one floating dtype
/// Throws: ShapeError and DTypeError when the arguments do not fit, Error unless num_groups is
/// positive and divides C.
TERN_API Tensor group_norm(const Tensor& input, StrictInt num_groups, const Tensor& weight = {},
                           const Tensor& bias = {}, double eps = 1e-5);

}  // namespace tern
