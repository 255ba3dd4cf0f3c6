#include <tern/core/autograd/record.h>
#include <tern/core/ops/comparison.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/elementwise.h>

// Activations with parameters.

namespace tern {

Tensor softplus(const Tensor& input, const Scalar& beta, const Scalar& threshold) {
  TERN_OP("softplus", input);
  TERN_CHECK(input.is_floating_point(), NotImplementedError, "\"softplus_", input.device().type(),
             "\" not implemented for '", input.dtype(), "'");
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor scaled = input * beta;
    out = where(scaled > threshold, input, log1p(exp(scaled)) / beta);
  }
  if (!autograd::needs_grad(input)) return out;
  return autograd::record("SoftplusBackward0", out,
                          autograd::wrt(
                              input,
                              [beta, threshold](const Tensor& g, const Tensor& x) {
                                const Tensor scaled = x * beta;
                                return where(scaled > threshold, g, g * sigmoid(scaled));
                              },
                              input));
}

}  // namespace tern
