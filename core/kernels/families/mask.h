#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// With n(i) true elements before element i of the mask:
enum class MaskOp : std::int32_t {
  kCount,    // counts[b] = number of true elements in block b
  kIndices,  // out[n(i), :] = the coordinates of i, as int64, where mask[i]
  kSelect,   // out[n(i)] = in[i] where mask[i]
  kScatter   // out[i] = in[n(i)] where mask[i]
};

/// The number of elements of a block.
constexpr std::int64_t kMaskBlock = 4096;
/// Returns the number of blocks of a mask.
constexpr std::int64_t mask_blocks(std::int64_t size) {
  return (size + kMaskBlock - 1) / kMaskBlock;
}

/// Contiguous tensors. kCount comes first; then the caller adds up the counts, so that all blocks
/// can be written at once.
struct MaskArgs {
  MaskOp op;
  ScalarType dtype;    // of the elements
  std::int64_t size;   // number of elements of the mask
  std::int64_t total;  // number of true elements; of kCount 0
  const bool* mask;
  std::int64_t* counts;      // kCount
  const std::int64_t* ends;  // other ops: ends[b] = number of true elements in blocks 0 to b
  const void* in;
  void* out;
  // kIndices: sizes of the mask, and the strides of out in rows and columns.
  std::int32_t ndim;
  std::int64_t sizes[kMaxDims];
  std::int64_t row_stride, column_stride;
};

TERN_KERNEL_SLOT(mask, MaskArgs)

inline Operands operands(MaskArgs& args) {
  Operands list;
  list.add("the mask", args.mask, kBool, args.size);
  const std::int64_t blocks = mask_blocks(args.size);
  if (args.op == MaskOp::kCount) return list.add("the counts", args.counts, kLong, blocks);
  list.add("the ends of blocks", args.ends, kLong, blocks);
  if (args.op == MaskOp::kIndices) {
    return list.add("the output", args.out, kLong, args.total * args.ndim);
  }
  const bool selects = args.op == MaskOp::kSelect;
  return list.add("the input", args.in, args.dtype, selects ? args.size : args.total)
      .add("the output", args.out, args.dtype, selects ? args.total : args.size);
}

}  // namespace tern::kernels
