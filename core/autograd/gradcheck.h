#pragma once

#include <functional>
#include <vector>

#include <tern/core/tensor/tensor.h>

namespace tern::autograd {

/// Limits of the numeric check; the defaults are PyTorch's.
struct GradcheckOptions {
  double eps = 1e-6;  // step of the central difference
  double atol = 1e-5;
  double rtol = 1e-3;
};

using GradcheckFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// Compares the gradients of `fn` at `inputs` with central differences. Inputs that require grad
/// must be float64. Returns true, or throws Error naming output, input, place and both values.
TERN_API bool gradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
                        const GradcheckOptions& options = {});

/// The same for the gradients of the gradients, with random directions.
TERN_API bool gradgradcheck(const GradcheckFunction& fn, const std::vector<Tensor>& inputs,
                            const GradcheckOptions& options = {});

}  // namespace tern::autograd
