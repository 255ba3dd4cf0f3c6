#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// (input - mean) / sqrt(variance + eps) * weight + bias, mean and biased variance being those of
/// the last dimensions, whose sizes are `normalized_shape`; weight and bias, both of that shape and
/// of the input's dtype, may be missing. Floating dtypes.
/// Throws: ShapeError and DTypeError when the arguments do not fit.
TERN_API Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                           const Tensor& weight = {}, const Tensor& bias = {}, double eps = 1e-5);

}  // namespace tern
