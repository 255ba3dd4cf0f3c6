#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class SoftmaxOp : std::int32_t {
  kSoftmax,
  kLogSoftmax,
  kSoftmaxBackward,
  kLogSoftmaxBackward
};

/// Softmax over `size` of a contiguous [outer, size, inner] tensor of a floating dtype. The
/// backward ops read the forward result y in `in` and the gradient g in `grad`.
/// softmax: y * (g - sum(g y)); log_softmax: g - exp(y) * sum(g).
struct SoftmaxArgs {
  SoftmaxOp op;
  ScalarType dtype;
  std::int64_t outer, size, inner;
  const void* in;
  const void* grad;
  void* out;
};

TERN_KERNEL_SLOT(softmax, SoftmaxArgs)

inline Operands operands(SoftmaxArgs& args) {
  const std::int64_t count = args.outer * args.size * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the gradient", args.grad, args.dtype, count)
      .add("the output", args.out, args.dtype, count);
}

}  // namespace tern::kernels
