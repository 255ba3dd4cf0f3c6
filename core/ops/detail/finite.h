#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns false if an element of a floating tensor in host memory is infinite or NaN. Other memory
/// cannot be read without waiting.
bool is_known_finite(const Tensor& t);

}  // namespace tern::detail
