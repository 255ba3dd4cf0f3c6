#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class IndexOp : std::int32_t {
  kSelect,       // index_select: out[o, j, i] = in[o, index[j], i]
  kAdd,          // index_add_:   out[o, index[j], i] += in[o, j, i]
  kGather,       // gather:       out[o, j, i] = in[o, index[o, j, i], i]
  kScatterAdd,   // scatter_add_: out[o, index[o, j, i], i] += in[o, j, i]
  kScatter,      // scatter_: the same with = instead of +=
  kScatterProd,  // scatter_reduce_: the same with *=
  kScatterAmax,  // the same with the maximum; NaN wins
  kScatterAmin,
  // Names of other ops that report bad indices, which no call has.
  kIndex,
  kIndexPut,
  kIndexFill,
  kIndexCopy,
  kTake,
  kPut
};

/// Contiguous tensors seen as [outer, size, inner]; index is int64 and contiguous. The CPU combines
/// and writes in the order of j, CUDA in any order. With `in_order` CUDA's result has the same bits
/// each time, and the last of equal indices is written; sums of kAdd always have the same bits.
/// Sums and products of narrow floats are rounded once. An index outside [0, limit) stops the
/// kernel with kIndexOutOfRange and the index in the status. CUDA skips its elements and reports it
/// at the next wait.
struct IndexArgs {
  IndexOp op;
  ScalarType dtype;
  std::int64_t outer, inner;
  std::int64_t in_size, out_size;  // size of the indexed dimension in `in` and `out`
  std::int64_t count;              // number of values of j
  std::int64_t limit;  // bound of valid indices: in_size when reading, out_size when adding
  const void* in;
  const std::int64_t* index;
  void* out;
  std::int32_t in_order;
};

TERN_KERNEL_SLOT(index, IndexArgs)

/// Returns true if the call reads at the indices, and false if it writes there.
constexpr bool reads_indexed(const IndexArgs& args) {
  return args.op == IndexOp::kSelect || args.op == IndexOp::kGather;
}
/// Returns true if there is one index per row instead of one per element.
constexpr bool one_index_per_row(const IndexArgs& args) {
  return args.op == IndexOp::kSelect || args.op == IndexOp::kAdd;
}

inline Operands operands(IndexArgs& args) {
  const bool reads = reads_indexed(args);
  const bool one_index = one_index_per_row(args);
  const std::int64_t rows = args.outer * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, rows * (reads ? args.in_size : args.count))
      .add("the index", args.index, kLong, one_index ? args.count : rows * args.count)
      .add("the output", args.out, args.dtype, rows * (reads ? args.count : args.out_size));
}

}  // namespace tern::kernels
