#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class ReduceOp : std::int32_t {
  kSum,
  kProd,
  kAmax,
  kAmin,
  kAny,
  kAll,
  kArgmax,
  kArgmin,
  kNorm,
  kNanSum,
  kCount
};

/// Reduces the `reduced` dimensions of in for each index of the `kept` dimensions. Dimensions were
/// merged where the strides allow it; the last one runs fastest in memory order.
///   kSum, kProd: out_dtype is in_dtype, or int64 if that is integral or bool. Elements are cast to
///   it before they are added; float16 and bfloat16 are added in float32. Float sums have 1e-5
///   relative accuracy (several partial sums).
///   kAmax, kAmin: in_dtype == out_dtype. NaN wins.
///   kAny, kAll: any dtype in; 1 or 0 out, as bool or uint8.
///   kArgmax, kArgmin: int64 out, the first index of the extreme value (of the first NaN if there
///   is one) in the row-major order of the reduced dimensions. `values`, when not null, receives
///   the extreme value, with the same strides as out.
///   kNorm: floating in_dtype == out_dtype, the square root of the sum of squares, added up in
///   double (or a wider type): squares of floats do not leave the range.
///   kNanSum: floating in_dtype == out_dtype; as kSum, but NaN counts as 0.
///   kCount: any dtype in, int64 out, the number of elements that differ from 0.
/// A kept shape without elements never reaches a kernel. An empty reduced shape occurs only for
/// kSum (0), kProd (1), kAny (false), kAll (true), kNorm (0), kNanSum (0) and kCount (0).
struct ReduceArgs {
  ReduceOp op;
  ScalarType in_dtype, out_dtype;
  std::int32_t kept_ndim, reduced_ndim;
  std::int64_t kept_sizes[kMaxDims], kept_in_strides[kMaxDims], kept_out_strides[kMaxDims];
  std::int64_t reduced_sizes[kMaxDims], reduced_in_strides[kMaxDims];
  const void* in;
  void* out;
  void* values;
  double scale;  // factor of the sums of floating dtypes (1 / n for a mean) and of kNorm
};

TERN_KERNEL_SLOT(reduce, ReduceArgs)

inline Operands operands(ReduceArgs& args) {
  std::vector<Extent> input = extents(args.kept_ndim, args.kept_sizes, args.kept_in_strides);
  const std::vector<Extent> reduced =
      extents(args.reduced_ndim, args.reduced_sizes, args.reduced_in_strides);
  input.insert(input.end(), reduced.begin(), reduced.end());
  const std::vector<Extent> kept = extents(args.kept_ndim, args.kept_sizes, args.kept_out_strides);
  return Operands()
      .add("the input", args.in, args.in_dtype, input)
      .add("the output", args.out, args.out_dtype, kept)
      .add("the values", args.values, args.in_dtype, kept);
}

}  // namespace tern::kernels
