#pragma once

#include <tern/core/ops/normalize.h>
#include <tern/nn/options/normalization.h>

namespace tern::nn::functional {

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dimensions.
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return tern::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                          options.eps());
}

}  // namespace tern::nn::functional
