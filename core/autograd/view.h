#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Makes `view`, an alias of part of `of`, known as its view: in-place changes of either then
/// reach the history of both.
TERN_API Tensor as_view(const Tensor& of, Tensor view);

/// Gives a view whose elements were changed in place a rule that leads to its base.
TERN_API void refresh_view(const Tensor& view);

}  // namespace tern::autograd
