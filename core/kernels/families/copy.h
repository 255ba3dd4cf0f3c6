#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// out[i] = cast(in[i]), with independent strides over one shape. Casts as PyTorch on x86: floats
/// are truncated towards zero; NaN and values out of range give the minimum of int64 or int32.
/// int16 and int8 are the low bits of the int32, uint8 the low bits of the int64. Non-zero values
/// and NaN give true. Casts to half and bfloat16 go through float and round to nearest even.
struct CopyArgs {
  std::int32_t ndim;
  ScalarType out_dtype, in_dtype;
  std::int64_t sizes[kMaxDims];
  void* out;
  const void* in;
  std::int64_t out_strides[kMaxDims];
  std::int64_t in_strides[kMaxDims];
};

TERN_KERNEL_SLOT(copy, CopyArgs)

inline Operands operands(CopyArgs& args) {
  return Operands()
      .add("the output", args.out, args.out_dtype, extents(args.ndim, args.sizes, args.out_strides))
      .add("the input", args.in, args.in_dtype, extents(args.ndim, args.sizes, args.in_strides));
}

}  // namespace tern::kernels
