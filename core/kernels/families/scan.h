#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ScanOp : std::int32_t { kSum, kProd, kMax, kMin, kLogSumExp, kRecurrence };

/// Scans dimension `size` of contiguous [outer, size, inner] tensors: out[o, j, i] is made of
/// in[o, 0..j, i], or of in[o, j..size-1, i] if `reverse` is 1.
///   kSum, kProd: float16, bfloat16, float32, float64 and int64, which wraps around. The CPU
///   accumulates floating dtypes in double.
///   kMax, kMin: any dtype. NaN wins. `indices` receives the index along `size` of the last of
///   equal elements (and of NaNs) so far.
///   kLogSumExp: floating dtypes; log(sum(exp(in))) without overflow.
///   kRecurrence: floating dtypes; out[j] = in[j] + f * out[j - 1] (j + 1 if reversed), with f =
///   factors[j], or factors[j - 1] (j + 1) if `shifted` is 1.
/// The output may be the memory of the input.
struct ScanArgs {
  ScanOp op;
  ScalarType dtype;
  std::int32_t reverse, shifted;
  std::int64_t outer, size, inner;
  const void* in;
  const void* factors;
  void* out;
  std::int64_t* indices;
};

TERN_KERNEL_SLOT(scan, ScanArgs)

/// Returns true if the op exists in the dtype.
inline bool scans(ScanOp op, ScalarType dtype) {
  if (op == ScanOp::kMax || op == ScanOp::kMin) return true;
  const bool adds = op == ScanOp::kSum || op == ScanOp::kProd;
  return is_floating_point(dtype) || (adds && dtype == kLong);
}

inline Operands operands(ScanArgs& args) {
  const std::int64_t count = args.outer * args.size * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the factors", args.factors, args.dtype, count)
      .add("the output", args.out, args.dtype, count)
      .add("the indices", args.indices, kLong, count);
}

}  // namespace tern::kernels
