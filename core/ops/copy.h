#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a copy with memory of its own. Keeps the dimension order of a dense tensor, else
/// row-major. Differentiable.
TERN_API Tensor clone(const Tensor& self);

}  // namespace tern
