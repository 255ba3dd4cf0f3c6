// Compiled for size.

#include <tern/core/autograd/record.h>
#include <tern/core/ops/common/detail/out.h>
#include <tern/core/ops/shape/resize.h>

namespace tern::detail {

Tensor& write_out(const char* name, Tensor& out, const Tensor& result) {
  TERN_CHECK(
      !autograd::needs_grad(out, result), Error, name,
      "(): functions with out=... arguments don't support automatic differentiation, but one "
      "of the arguments requires grad.");
  TERN_CHECK(can_cast(result.dtype(), out.dtype()), DTypeError, name, "(): result type ",
             result.scalar_type(), " can't be cast to the desired output type ", out.scalar_type());
  TERN_CHECK(result.device() == out.device(), DeviceError, name,
             "(): Expected out tensor to have device ", result.device(), ", but got ", out.device(),
             " instead");
  const NoGradGuard no_grad;
  if (out.sizes() != result.sizes()) out.detach_().resize_(result.sizes());
  return out.copy_(result);
}

}  // namespace tern::detail
