#pragma once

#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

using variable_list = std::vector<Tensor>;

/// Adds to .grad of all leaves (or of `inputs` only, if given) the gradients of the outputs, each
/// weighted by its grad_tensor (may be missing for outputs with one element).
TERN_API void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                       std::optional<bool> retain_graph = std::nullopt, bool create_graph = false,
                       const variable_list& inputs = {});

/// Returns the gradients of the outputs with respect to the inputs and leaves every .grad alone.
/// An input that was not used is an error, or undefined with allow_unused.
TERN_API variable_list grad(const variable_list& outputs, const variable_list& inputs,
                            const variable_list& grad_outputs = {},
                            std::optional<bool> retain_graph = std::nullopt,
                            bool create_graph = false, bool allow_unused = false);

}  // namespace tern::autograd
