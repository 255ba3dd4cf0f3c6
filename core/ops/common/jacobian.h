#pragma once

#include <functional>
#include <type_traits>
#include <vector>

#include <tern/core/autograd/autograd.h>

// Derivatives of functions, as in torch.autograd.functional. Each function here calls `fn` with new
// tensors that share the elements of the inputs, so the gradients of the inputs and of other leaves
// do not change. With `create_graph` the results can be differentiated again. With
// `strict`, an output that does not depend on an input is an error; else its derivative is 0.

namespace tern::autograd::functional {

/// A function of several tensors with several results.
using TensorFunction = std::function<variable_list(const variable_list&)>;

/// Returns the Jacobian of each output with respect to each input: result[o][i] has the sizes of
/// output o followed by those of input i. Runs one backward pass per output element.
///
/// Example:
///   Tensor j = jacobian([](const Tensor& x) { return x * x; }, tern::tensor({1., 2.}));
///   // tensor([[2., 0.], [0., 4.]])
TERN_API std::vector<variable_list> jacobian(const TensorFunction& fn, const variable_list& inputs,
                                             StrictBool create_graph = false,
                                             StrictBool strict = false);
/// Returns the Hessian of a function with one element as result: result[i][k] has the sizes of
/// input i followed by those of input k. Throws Error for a result with more elements.
TERN_API std::vector<variable_list> hessian(const TensorFunction& fn, const variable_list& inputs,
                                            StrictBool create_graph = false,
                                            StrictBool strict = false);

/// The results of a function, and a product of its derivative with vectors.
struct ProductResult {
  /// The results of the function.
  variable_list outputs;
  /// The products.
  variable_list products;
};
/// Returns fn(inputs) and the products of the vectors `v`, one for each output, with the Jacobian.
/// `v` may be empty for one output with one element.
TERN_API ProductResult vjp(const TensorFunction& fn, const variable_list& inputs,
                           const variable_list& v = {}, StrictBool create_graph = false,
                           StrictBool strict = false);
/// Returns fn(inputs) and the products of the Jacobian with the vectors `v`, one for each input.
/// Differentiates twice, so the ops in `fn` need second derivatives.
TERN_API ProductResult jvp(const TensorFunction& fn, const variable_list& inputs,
                           const variable_list& v = {}, StrictBool create_graph = false,
                           StrictBool strict = false);
/// Returns fn(inputs) and the products of the vectors `v`, one for each input, with the Hessian.
TERN_API ProductResult vhp(const TensorFunction& fn, const variable_list& inputs,
                           const variable_list& v = {}, StrictBool create_graph = false,
                           StrictBool strict = false);
/// Returns fn(inputs) and the products of the Hessian with the vectors `v`, one for each input; the
/// same numbers as vhp(), where the Hessian is symmetric.
TERN_API ProductResult hvp(const TensorFunction& fn, const variable_list& inputs,
                           const variable_list& v = {}, StrictBool create_graph = false,
                           StrictBool strict = false);

/// Returns the Jacobian of a function of one tensor with one result.
template <class Fn>
requires std::is_invocable_v<const Fn&, const Tensor&> Tensor jacobian(
    const Fn& fn, const Tensor& input, StrictBool create_graph = false, StrictBool strict = false) {
  const TensorFunction all = [&](const variable_list& inputs) {
    return variable_list{fn(inputs[0])};
  };
  return jacobian(all, variable_list{input}, create_graph, strict)[0][0];
}
/// Returns the Hessian of a function of one tensor.
template <class Fn>
requires std::is_invocable_v<const Fn&, const Tensor&> Tensor hessian(
    const Fn& fn, const Tensor& input, StrictBool create_graph = false, StrictBool strict = false) {
  const TensorFunction all = [&](const variable_list& inputs) {
    return variable_list{fn(inputs[0])};
  };
  return hessian(all, variable_list{input}, create_graph, strict)[0][0];
}

}  // namespace tern::autograd::functional
