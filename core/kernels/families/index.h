#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

enum class IndexOp : std::int32_t {
  kSelect,     // index_select: out[o, j, i] = in[o, index[j], i]
  kAdd,        // index_add_:   out[o, index[j], i] += in[o, j, i]
  kGather,     // gather:       out[o, j, i] = in[o, index[o, j, i], i]
  kScatterAdd  // scatter_add_: out[o, index[o, j, i], i] += in[o, j, i]
};

/// Contiguous tensors seen as [outer, size, inner]; index is int64 and contiguous. The CPU adds in
/// the order of j, CUDA in any order. On the CPU, sums of narrow floats are rounded once. An index
/// outside [0, limit) stops the kernel with kIndexOutOfRange and the index in the status. CUDA
/// skips its elements and reports it at the next wait.
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
};

TERN_KERNEL_SLOT(index, IndexArgs)

/// Returns true if the call only moves elements, whatever their dtype.
constexpr bool moves_only(const IndexArgs& args) {
  return args.op == IndexOp::kSelect || args.op == IndexOp::kGather;
}

inline Operands operands(IndexArgs& args) {
  const bool reads = moves_only(args);
  const bool one_index = args.op == IndexOp::kSelect || args.op == IndexOp::kAdd;
  const std::int64_t rows = args.outer * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, rows * (reads ? args.in_size : args.count))
      .add("the index", args.index, kLong, one_index ? args.count : rows * args.count)
      .add("the output", args.out, args.dtype, rows * (reads ? args.count : args.out_size));
}

}  // namespace tern::kernels
