#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/dropout.h>

namespace tern::nn::functional {

/// Sets each element to 0 with probability p and divides the others by 1 - p, unless `training` is
/// false. Throws Error unless p lies in [0, 1].
TERN_API Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
/// Does the same as dropout() to whole channels: all elements of a channel are dropped or kept
/// together. Throws ShapeError unless the input has the dimensions below, Error unless p lies in
/// [0, 1].
///
/// Shape: dropout1d [C, L] or [N, C, L]; dropout2d [N, C, H, W] or [N, C, L]; dropout3d [C, D, H,
/// W] or [N, C, D, H, W]
TERN_API Tensor dropout1d(Tensor input, const Dropout1dFuncOptions& options = {});
/// Does the same as dropout1d() to images.
TERN_API Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
/// Does the same as dropout1d() to volumes.
TERN_API Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
/// Dropout that keeps mean 0 and variance 1, for networks of SELU; see tern::alpha_dropout.
TERN_API Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
/// Does the same as alpha_dropout() to whole channels.
TERN_API Tensor feature_alpha_dropout(Tensor input,
                                      const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace tern::nn::functional
