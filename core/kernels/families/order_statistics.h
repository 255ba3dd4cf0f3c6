#pragma once

#include <tern/core/kernels/operand.h>
#include <tern/core/kernels/slots.h>

namespace tern::kernels {

/// Which elements of a sorted row to select. Elements compare as in SortArgs.
enum class OrderStatistic : std::int32_t {
  kTop,        // the first `k` in sorted order, from the largest on if `largest` is 1
  kRank,       // the one at rank `k`, counted from 0
  kMedian,     // the lower median; the first NaN if there is one
  kNanMedian,  // the lower median of the elements that are no NaN; the first NaN if all are
  kMode,       // the smallest of the most frequent ones, where it occurs last; NaNs differ
};

/// Selects elements of the rows of a contiguous [outer, size, inner] tensor along `size`, which is
/// not 0. Writes the elements to `values` and their indices in the row to `indices`, which are
/// [outer, count, inner] with selected_count(args) elements per row.
struct OrderStatisticsArgs {
  OrderStatistic op;
  ScalarType dtype;
  std::int32_t largest;
  std::int64_t outer, size, inner, k;
  const void* in;
  void* values;
  std::int64_t* indices;
};

TERN_KERNEL_SLOT(order_statistics, OrderStatisticsArgs)

/// Returns how many elements of a row the call selects.
constexpr std::int64_t selected_count(const OrderStatisticsArgs& args) {
  return args.op == OrderStatistic::kTop ? args.k : 1;
}

inline Operands operands(OrderStatisticsArgs& args) {
  const std::int64_t rows = args.outer * args.inner, count = rows * selected_count(args);
  return Operands()
      .add("the input", args.in, args.dtype, rows * args.size)
      .add("the values", args.values, args.dtype, count)
      .add("the indices", args.indices, kLong, count);
}

}  // namespace tern::kernels
