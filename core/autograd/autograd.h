#pragma once

#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/core/autograd/node.h>
#include <tern/core/autograd/record.h>
#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// A list of tensors.
using variable_list = std::vector<Tensor>;

/// Computes gradients and adds them to the grad() of all leaves, or only of `inputs` if given.
///
/// Each of `tensors` is weighted by its gradient in `grad_tensors`, which may be left out for a
/// tensor with one element. The graph is freed afterwards unless `retain_graph` is true; its
/// default is `create_graph`. With `create_graph` the gradients can be differentiated again. Throws
/// Error when a tensor does not require a gradient.
TERN_API void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                       std::optional<StrictBool> retain_graph = std::nullopt,
                       StrictBool create_graph = false, const variable_list& inputs = {});

/// Returns the gradients of the outputs with respect to the inputs; every grad() stays unchanged.
/// The other arguments are those of backward(). For an input that the outputs do not depend on,
/// throws Error, or returns an undefined tensor with `allow_unused`.
///
/// Example:
///   Tensor y = x.pow(3).sum();
///   Tensor dx = tern::autograd::grad({y}, {x}, {}, std::nullopt, /*create_graph=*/true)[0];
///   Tensor ddx = tern::autograd::grad({dx.sum()}, {x})[0];  // 6 x
TERN_API variable_list grad(const variable_list& outputs, const variable_list& inputs,
                            const variable_list& grad_outputs = {},
                            std::optional<StrictBool> retain_graph = std::nullopt,
                            StrictBool create_graph = false, StrictBool allow_unused = false);

}  // namespace tern::autograd
