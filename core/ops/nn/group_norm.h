#pragma once

#include <tern/core/tensor/tensor.h>

// Normalization over groups of channels.

namespace tern {

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
