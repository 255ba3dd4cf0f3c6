#pragma once

#include <tern/core/autograd/record.h>

namespace tern::detail {

/// Returns `out` with a node whose backward throws, if an input needs a gradient: PyTorch does so
/// for ops without a gradient. `name` is the op, a string literal.
template <class... Tensors>
Tensor without_gradient(const char* name, const Tensor& out, const Tensors&... inputs) {
  if (!autograd::needs_grad(inputs...)) return out;
  const auto rule = [name](const Tensor&) -> Tensor {
    raise<NotImplementedError>("derivative for aten::", name, " is not implemented");
  };
  return autograd::record("NotImplemented", out, autograd::wrt(inputs, rule)...);
}

}  // namespace tern::detail
