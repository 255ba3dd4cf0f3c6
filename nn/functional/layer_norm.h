#pragma once

#include <tern/core/ops/nn/group_norm.h>
#include <tern/core/ops/nn/layer_norm.h>
#include <tern/nn/options/layer_norm.h>

namespace tern::nn::functional {

/// Normalises each sample over its last dimensions; see tern::layer_norm().
inline Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return tern::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                          options.eps());
}
/// Divides each sample by the root mean square of its last dimensions; see tern::rms_norm().
inline Tensor rms_norm(const Tensor& input, const RMSNormFuncOptions& options) {
  return tern::rms_norm(input, options.normalized_shape(), options.weight(), options.eps());
}
/// Normalises groups of channels of each sample; see tern::group_norm(). Throws ShapeError also if
/// a group of the whole batch has only one value.
TERN_API Tensor group_norm(const Tensor& input, const GroupNormFuncOptions& options);

}  // namespace tern::nn::functional
