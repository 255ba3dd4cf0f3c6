#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a copy with its own memory. The copy keeps the dimension order of a dense tensor and is
/// otherwise row-major. Differentiable.
TERN_API Tensor clone(const Tensor& self);

}  // namespace tern
