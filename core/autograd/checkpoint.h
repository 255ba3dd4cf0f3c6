#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include <tern/core/autograd/autograd.h>

namespace tern::autograd {

/// Returns fn(inputs), but backward computes it again in place of keeping the tensors that its ops
/// save: less memory for more time (Chen et al., "Training Deep Nets with Sublinear Memory Cost",
/// 2016). Gradients also reach tensors that `fn` captures, such as parameters.
///
/// `fn` must compute the same both times. With `preserve_rng_state` the second run draws the same
/// random numbers as the first, from the default generators of the CPU and of the inputs' devices.
/// backward() throws Error when the second run saves other tensors than the first.
///
/// Example:
///   Tensor h = tern::autograd::checkpoint([&](const Tensor& x) { return block->forward(x); }, x);
TERN_API variable_list checkpoint(std::function<variable_list(const variable_list&)> fn,
                                  const variable_list& inputs,
                                  StrictBool preserve_rng_state = true);

/// Does the same for a function of one tensor.
template <class Fn>
requires std::is_invocable_v<Fn&, const Tensor&> Tensor
checkpoint(Fn fn, const Tensor& input, StrictBool preserve_rng_state = true) {
  return checkpoint(
      [fn = std::move(fn)](const variable_list& inputs) mutable {
        return variable_list{fn(inputs[0])};
      },
      variable_list{input}, preserve_rng_state)[0];
}

}  // namespace tern::autograd
