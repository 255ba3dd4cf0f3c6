#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::detail {

/// Gives `out` the sizes and the elements of `result`, what the op `name` returned, and returns it.
/// Throws Error when `out` or the result requires grad, DTypeError when the dtype of `out` cannot
/// hold the result, and DeviceError for another device.
Tensor& write_out(const char* name, Tensor& out, const Tensor& result);

}  // namespace tern::detail
