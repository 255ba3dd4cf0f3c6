#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Sets every element of out to value.
struct FillArgs {
  View out;
  Immediate value;
};

TERN_KERNEL_SLOT(fill, FillArgs)

inline Operands operands(FillArgs& args) {
  View& out = args.out;
  return Operands().add("the output", out.data, out.dtype,
                        extents(out.ndim, out.sizes, out.strides));
}

/// out[i] = start + i * step, one-dimensional and contiguous. As in PyTorch, each float is computed
/// in double from start and then rounded.
struct ArangeArgs {
  ScalarType dtype;
  void* out;
  std::int64_t count;
  Immediate start, step;
};

TERN_KERNEL_SLOT(arange, ArangeArgs)

inline Operands operands(ArangeArgs& args) {
  return Operands().add("the output", args.out, args.dtype, args.count);
}

}  // namespace tern::kernels
