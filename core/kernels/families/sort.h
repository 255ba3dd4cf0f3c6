#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Sorts the rows of a contiguous [outer, size, inner] tensor along `size`, from the smallest
/// element on, or from the largest with `descending`. NaN is larger than every number, -0 equals 0,
/// and equal elements keep their order. Writes the sorted elements to `values` and their indices to
/// `indices`; either may be null.
struct SortArgs {
  ScalarType dtype;
  std::int32_t descending;
  std::int64_t outer, size, inner;
  const void* in;
  void* values;
  std::int64_t* indices;
};

TERN_KERNEL_SLOT(sort, SortArgs)

/// Writes the indices of the rows of a contiguous [rows, columns] matrix in lexicographic order.
/// Elements compare as in SortArgs, and equal rows keep their order.
struct OrderRowsArgs {
  ScalarType dtype;
  std::int64_t rows, columns;
  const void* in;
  std::int64_t* order;
};

TERN_KERNEL_SLOT(order_rows, OrderRowsArgs)

inline Operands operands(SortArgs& args) {
  const std::int64_t count = args.outer * args.size * args.inner;
  return Operands()
      .add("the input", args.in, args.dtype, count)
      .add("the values", args.values, args.dtype, count)
      .add("the indices", args.indices, kLong, count);
}

inline Operands operands(OrderRowsArgs& args) {
  return Operands()
      .add("the input", args.in, args.dtype, args.rows * args.columns)
      .add("the order", args.order, kLong, args.rows);
}

}  // namespace tern::kernels
