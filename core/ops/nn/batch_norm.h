#pragma once

#include <tern/core/tensor/tensor.h>

// Normalization over the batch, or over each sample.

namespace tern {

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

}  // namespace tern
