#pragma once

#include <functional>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Step size and tolerances of the numeric check; the defaults are PyTorch's.
struct GradcheckOptions {
  double eps = 1e-6;  // step of the central difference
  /// The allowed absolute difference.
  double atol = 1e-5;
  /// The allowed relative difference.
  double rtol = 1e-3;
  /// Compares one number for each input and output, the change along a fixed direction, instead of
  /// one for each element: two calls of the function, whatever the size of the input.
  bool fast_mode = false;
};

/// A function of tensors whose gradients are checked.
using GradcheckFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Compares the gradients of `fn` at `inputs` with central differences. Checks autograd::grad(),
/// and also backward() where the inputs are the only leaves; grad() keeps its value. Inputs that
/// require a gradient must be float64. Returns true. If gradients differ, throws Error, whose text
/// names output, input, element (but in fast mode) and both values.
///
/// Example:
///   Tensor x = tern::randn({3}, tern::kDouble).requires_grad_();
///   tern::autograd::gradcheck([](const auto& in) { return std::vector{in[0].exp()}; }, {x});
TERN_API bool gradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
                        const GradcheckOptions& options = {});

/// Compares the second gradients of `fn` with central differences, for fixed directions of the
/// first gradients. Also compares the first gradients computed with and without recording. Returns
/// and throws as gradcheck().
TERN_API bool gradgradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
                            const GradcheckOptions& options = {});

}  // namespace tern::autograd
