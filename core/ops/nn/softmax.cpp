#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/softmax.h>
#include <tern/core/ops/common/detail/op.h>
#include <tern/core/ops/ops.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

using autograd::needs_grad;
using autograd::record;
using autograd::wrt;
using kernels::SoftmaxOp;

Tensor run_softmax(const char* name, SoftmaxOp op, const Tensor& in, const Tensor& grad,
                   std::int64_t dim) {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, in.dim()));
  if (in.numel() == 0) return detail::make_tensor(in.sizes(), in.dtype(), in.device());
  TERN_CHECK(in.is_floating_point(), DTypeError, "\"", name, "_kernel_impl\" not implemented for '",
             in.scalar_type(), "'");
  const Tensor dense = in.contiguous();
  const Tensor dense_grad = grad.defined() ? grad.contiguous() : grad;
  Tensor out = detail::make_tensor(in.sizes(), in.dtype(), in.device());
  kernels::SoftmaxArgs args;
  args.op = op;
  args.dtype = in.dtype();
  args.outer = args.inner = 1;
  args.size = in.dim() == 0 ? 1 : in.sizes()[d];
  for (std::size_t i = 0; i < in.sizes().size(); ++i) {
    if (i < d) args.outer *= in.sizes()[i];
    if (i > d) args.inner *= in.sizes()[i];
  }
  args.in = dense.data_ptr();
  args.grad = dense_grad.defined() ? dense_grad.data_ptr() : nullptr;
  args.out = out.data_ptr();
  kernels::run(name, in.device(), in.dtype(), args);
  return out;
}

// Runs the backward kernel, or the composed formula if the rule is itself recorded.
Tensor softmax_backward(const Tensor& g, const Tensor& y, std::int64_t dim) {
  if (needs_grad(g, y)) return y * (g - (g * y).sum(dim, true));
  return run_softmax("softmax_backward", SoftmaxOp::kSoftmaxBackward, y, g, dim);
}

Tensor log_softmax_backward(const Tensor& g, const Tensor& y, std::int64_t dim) {
  if (needs_grad(g, y)) return g - exp(y) * g.sum(dim, true);
  return run_softmax("log_softmax_backward", SoftmaxOp::kLogSoftmaxBackward, y, g, dim);
}

}  // namespace

Tensor softmax(const Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("softmax", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, softmax, self, dim, dtype);
  const Tensor x = dtype ? self.to(*dtype) : self;
  Tensor out = run_softmax("softmax", SoftmaxOp::kSoftmax, x, {}, dim);
  if (!needs_grad(x)) return out;
  return record(
      "SoftmaxBackward0", out,
      wrt(
          x, [dim](const Tensor& g, const Tensor& y) { return softmax_backward(g, y, dim); }, out));
}

Tensor log_softmax(const Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("log_softmax", self);
  TERN_AUTOCAST_IF(!dtype, kUnchanged, kFloat32, log_softmax, self, dim, dtype);
  const Tensor x = dtype ? self.to(*dtype) : self;
  Tensor out = run_softmax("log_softmax", SoftmaxOp::kLogSoftmax, x, {}, dim);
  if (!needs_grad(x)) return out;
  return record(
      "LogSoftmaxBackward0", out,
      wrt(
          x, [dim](const Tensor& g, const Tensor& y) { return log_softmax_backward(g, y, dim); },
          out));
}

}  // namespace tern
