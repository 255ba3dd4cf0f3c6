#pragma once

#include <tern/core/tensor/tensor.h>

namespace tern {

/// Returns a tensor of the sizes and dtype of `input` with every element set to `value`; a tensor
/// as value must be 0-d. Throws Error when the dtype cannot hold a number. Differentiable.
TERN_API Tensor fill(const Tensor& input, const Scalar& value);
TERN_API Tensor fill(const Tensor& input, const Tensor& value);
/// Sets every element to `value` and returns `self`; see fill().
TERN_API Tensor& fill_(Tensor& self, const Scalar& value);
TERN_API Tensor& fill_(Tensor& self, const Tensor& value);
/// Sets every element to 0. Returns `self`.
TERN_API Tensor& zero_(Tensor& self);

}  // namespace tern
