#include <tern/core/autograd/record.h>
#include <tern/core/ops/comparison.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/elementwise.h>

// Activations with parameters.

namespace tern {

Tensor softplus(const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  TERN_OP("softplus", self);
  TERN_CHECK(self.is_floating_point(), NotImplementedError, "\"softplus_", self.device().type(),
             "\" not implemented for '", self.dtype(), "'");
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor scaled = self * beta;
    out = where(scaled > threshold, self, log1p(exp(scaled)) / beta);
  }
  if (!autograd::needs_grad(self)) return out;
  return autograd::record("SoftplusBackward0", out,
                          autograd::wrt(
                              self,
                              [beta, threshold](const Tensor& g, const Tensor& x) {
                                const Tensor scaled = x * beta;
                                return where(scaled > threshold, g, g * sigmoid(scaled));
                              },
                              self));
}

}  // namespace tern
