#pragma once

#include <tern/core/ops/normalize.h>
#include <tern/nn/options/layer_norm.h>

namespace tern::nn::functional {

/// Normalises each sample over its last dimensions; see tern::layer_norm().
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return tern::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                          options.eps());
}

}  // namespace tern::nn::functional
