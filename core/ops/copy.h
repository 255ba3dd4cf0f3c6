#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// A copy with memory of its own, in the dimension order of a dense tensor; differentiable.
TERN_API Tensor clone(const Tensor& self);

}  // namespace tern
