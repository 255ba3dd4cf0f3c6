#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns false if an element of a floating tensor in host memory is infinite or NaN. Tensors in
/// other memory count as finite, because reading them would wait.
bool looks_finite(const Tensor& t);

}  // namespace tern::detail
