#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Returns the tensor that a factory has filled: pinned and with requires_grad as the options say,
/// and with version 0.
Tensor finish_factory(Tensor tensor, const TensorOptions& options);

}  // namespace tern::detail
