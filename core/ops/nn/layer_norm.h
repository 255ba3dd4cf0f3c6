#pragma once

#include <tern/core/tensor/tensor.h>

// Normalization over the last dimensions.

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

}  // namespace tern
