#pragma once

#include <tern/core/tensor/tensor.h>
#include <tern/nn/options/padding.h>

namespace tern::nn::functional {

/// Adds elements before and after those of the last dimensions; see tern::pad().
TERN_API Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace tern::nn::functional
