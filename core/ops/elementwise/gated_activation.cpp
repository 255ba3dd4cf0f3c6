#include <tern/core/kernels/families/elementwise.h>
#include <tern/core/ops/elementwise/detail/unary.h>
#include <tern/core/ops/ops.h>

// Activations with a second operand: the other half of the input, or a weight.

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using detail::check_floating;
using detail::run_elementwise;
using kernels::ElementwiseOp;

/// Returns the weight of prelu in a shape that broadcasts along dimension 1.
Tensor prelu_weight(const Tensor& input, const Tensor& weight) {
  TERN_CHECK(input.dtype() == weight.dtype(), DTypeError, "Type promoting not supported. Got ",
             input.scalar_type(), " and ", weight.scalar_type());
  TERN_CHECK(weight.dim() <= 1, ShapeError,
             "Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
  if (weight.numel() == 1) return input.dim() == 0 || weight.dim() == 0 ? weight.view({}) : weight;
  TERN_CHECK(input.dim() > 0, ShapeError,
             "Not allow zero-dim input tensor. Found parameter numbers = ", weight.numel(),
             " and sizes ", input.sizes());
  const std::int64_t channels = input.dim() > 1 ? input.size(1) : 1;
  TERN_CHECK(weight.numel() == channels, ShapeError,
             "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
             weight.numel(), " and channel size = ", channels, ".");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(input.dim()), 1);
  sizes[1] = channels;
  return weight.view(sizes);
}

}  // namespace

Tensor glu(const Tensor& input, std::int64_t dim) {
  TERN_OP("glu", input);
  TERN_CHECK(input.dim() > 0, ShapeError,
             "glu does not support scalars because halving size must be even: expected at least 1 "
             "dimension, got ",
             input.dim());
  const std::int64_t size = input.size(dim), half = size / 2;
  TERN_CHECK(size % 2 == 0, ShapeError, "Halving dimension must be even, but dimension ",
             dim < 0 ? dim + input.dim() : dim, " is size ", size);
  check_floating("glu", input);
  Tensor out;
  {
    const NoGradGuard no_grad;
    out = input.narrow(dim, 0, half) * sigmoid(input.narrow(dim, half, half));
  }
  if (!needs_grad(input)) return out;
  return record("GluBackward0", out,
                wrt(
                    input,
                    [dim, half](const Tensor& g, const Tensor& x) {
                      const Tensor a = x.narrow(dim, 0, half);
                      const Tensor s = sigmoid(x.narrow(dim, half, half));
                      const Tensor first = g * s;
                      return cat({first, first * (1 - s) * a}, dim);
                    },
                    input));
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  TERN_OP("prelu", self, weight);
  TERN_AUTOCAST(kLower, kLower, prelu, self, weight);
  check_floating("prelu", self);
  detail::check_same_device("prelu", {&self, &weight}, {"self", "weight"});
  const Tensor w = prelu_weight(self, weight);
  Tensor out = run_elementwise({"prelu", ElementwiseOp::prelu, self.dtype()}, {self, w});
  if (!needs_grad(self, w)) return out;
  return record(
      "PreluKernelBackward0", out,
      wrt(
          self,
          [](const Tensor& g, const Tensor& x, const Tensor& slope) {
            return where(x > 0, g, g * slope);
          },
          self, w),
      wrt(
          w, [](const Tensor& g, const Tensor& x) { return where(x > 0, 0, x * g); }, self));
}

}  // namespace tern
