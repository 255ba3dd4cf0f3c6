#pragma once

#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class IndexAction : std::int32_t {
  kGet,        // out[o, k, i] = in[o, offset(k), i]
  kPut,        // out[o, offset(k), i] = in[o, k, i]
  kAccumulate  // out[o, offset(k), i] += in[o, k, i]
};

/// One strided tensor, `in` for kGet and else `out`, of which some dimensions are indexed together:
/// offset(k) is the sum of index[d, k] * strides[d]. The other dimensions are seen as one before
/// and one behind. The other tensor is contiguous, [outer, count, inner]; it has only one element
/// if `one_value`. A negative index counts from the end if `wraps`. For other indices the kernel
/// does as those of IndexArgs. The CPU writes in the order of k, CUDA in any order. With `in_order`
/// CUDA's result has the same bits each time, and the last of equal indices is written; floating
/// sums always have the same bits. kAccumulate does not support float16 and bfloat16: the op adds
/// in float32, so that sums are rounded once.
struct AdvancedIndexArgs {
  IndexOp op;  // the op that the user called
  IndexAction action;
  ScalarType dtype;
  std::int32_t indexed;  // number of indexed dimensions
  std::int32_t wraps, one_value;
  std::int64_t outer, count, inner;
  std::int64_t outer_stride, inner_stride;
  std::int64_t sizes[kMaxDims], strides[kMaxDims];  // of the indexed dimensions
  std::int32_t dims[kMaxDims];                      // their numbers, for the error
  const std::int64_t* index;                        // [indexed, count], contiguous
  const void* in;
  void* out;
  std::int32_t in_order;
};

TERN_KERNEL_SLOT(advanced_index, AdvancedIndexArgs)

inline Operands operands(AdvancedIndexArgs& args) {
  std::vector<Extent> strided = extents(args.indexed, args.sizes, args.strides);
  strided.push_back({args.outer, args.outer_stride});
  strided.push_back({args.inner, args.inner_stride});
  const std::int64_t all = args.outer * args.count * args.inner;
  const std::vector<Extent> dense = {{args.one_value != 0 ? 1 : all, 1}};
  const bool gets = args.action == IndexAction::kGet;
  return Operands()
      .add("the index", args.index, kLong, args.indexed * args.count)
      .add("the input", args.in, args.dtype, gets ? strided : dense)
      .add("the output", args.out, args.dtype, gets ? dense : strided);
}

}  // namespace tern::kernels
