#include <tern/core/autograd/record.h>
#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/families/scan.h>
#include <tern/core/ops/detail/op.h>
#include <tern/core/ops/reduce.h>
#include <tern/core/tensor/detail/shape.h>

namespace tern {
namespace {

// Returns the running sums from the first element, or with `reverse` from the last. The gradient of
// the input is the running sum of the result's gradient in the other direction.
Tensor running_sum(const Tensor& self, std::int64_t dim, bool reverse) {
  const auto d = static_cast<std::size_t>(wrap_dim(dim, self.dim()));
  Tensor out = detail::make_tensor(self.sizes(), self.dtype(), self.device());
  if (self.dim() == 0) {
    out.copy_(self.detach());  // its own sum, also in a dtype without a kernel
  } else if (self.numel() > 0) {
    const Tensor dense = self.detach().contiguous();
    kernels::CumsumArgs args{self.dtype(), reverse, 1, 1, 1, dense.data_ptr(), out.data_ptr()};
    for (std::size_t i = 0; i < self.sizes().size(); ++i) {
      (i < d ? args.outer : i == d ? args.size : args.inner) *= self.sizes()[i];
    }
    kernels::run("cumsum", self.device(), self.dtype(), args);
  }
  if (!autograd::needs_grad(self)) return out;
  return autograd::record("CumsumBackward0", out,
                          autograd::wrt(self, [dim, reverse](const Tensor& g) {
                            return running_sum(g, dim, !reverse);
                          }));
}

}  // namespace

Tensor cumsum(const Tensor& self, StrictInt dim, std::optional<ScalarType> dtype) {
  TERN_OP("cumsum", self);
  const ScalarType wanted = dtype.value_or(self.is_floating_point() ? self.dtype() : kLong);
  TERN_CHECK(is_floating_point(wanted) || !autograd::needs_grad(self), DTypeError,
             "Autograd not support dtype: ", wanted, ", for the running sum of a tensor of ",
             self.dtype(), " that requires grad");
  return running_sum(self.to(wanted), dim, /*reverse=*/false);
}

}  // namespace tern
