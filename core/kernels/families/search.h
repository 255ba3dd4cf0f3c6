#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// For each value, the number of elements of its sorted sequence that are smaller, or not larger
/// if `right` is 1. There are `rows` rows of `count` values. Each row has a sequence of `size`
/// elements of its own, or all rows share one if `shared` is 1. `sorter`, which may be null, names
/// the elements of a sequence in sorted order. A NaN is larger than all elements.
struct SearchArgs {
  ScalarType dtype;      // of the values and the sequences
  ScalarType out_dtype;  // int32 or int64
  std::int32_t right, shared;
  std::int64_t rows, count, size;
  const void* sequence;
  const std::int64_t* sorter;
  const void* in;
  void* out;
};

TERN_KERNEL_SLOT(search, SearchArgs)

inline Operands operands(SearchArgs& args) {
  const std::int64_t elements = args.shared != 0 ? args.size : args.rows * args.size;
  return Operands()
      .add("the sequence", args.sequence, args.dtype, elements)
      .add("the sorter", args.sorter, kLong, elements)
      .add("the input", args.in, args.dtype, args.rows * args.count)
      .add("the output", args.out, args.out_dtype, args.rows * args.count);
}

}  // namespace tern::kernels
