#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Running sums over `size` of a contiguous [outer, size, inner] tensor: out[o, j, i] is the sum of
/// in[o, 0..j, i], or of in[o, j..size-1, i] if `reverse` is 1. The output is not the memory of the
/// input. Not for bool; sums of integers wrap around.
struct CumsumArgs {
  ScalarType dtype;
  std::int32_t reverse;
  std::int64_t outer, size, inner;
  const void* in;
  void* out;
};

TERN_KERNEL_SLOT(cumsum, CumsumArgs)

inline Operands operands(CumsumArgs& args) {
  const std::int64_t count = args.outer * args.size * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the output", args.out, args.dtype, count);
}

}  // namespace tern::kernels
