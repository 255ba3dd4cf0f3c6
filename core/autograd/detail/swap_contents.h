#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Exchanges all that two tensors are: elements, sizes, dtype, history, gradient and hooks. Every
/// handle of `a` then shows what `b` was, and the reverse. Graphs stay as they are.
TERN_API void swap_contents(const Tensor& a, const Tensor& b) noexcept;

}  // namespace tern::autograd
