#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/dropout.h>

namespace tern::nn::functional {

/// Sets each element to 0 with probability p and divides the others by 1 - p, unless `training` is
/// false. Throws Error unless p lies in [0, 1].
TERN_API Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});

}  // namespace tern::nn::functional
