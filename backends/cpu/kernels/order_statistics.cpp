// Instruction sets: baseline avx2.

#include <tern/backends/cpu/kernels/sort/row_order.h>
#include <tern/core/kernels/families/order_statistics.h>

namespace tern::cpu {
namespace {

using namespace kernels;

/// Returns the index of the lower median.
std::int64_t median_index(RowOrder& order, std::int64_t size, bool ignores_nan) {
  const std::int64_t nans = order.count_nan();
  if (nans > 0 && (!ignores_nan || nans == size)) return order.first_nan();
  return order.index(order.rank((size - nans - 1) / 2));  // NaNs are the last elements
}

/// Returns the index of the last one of the most frequent elements.
std::int64_t mode_index(RowOrder& order, std::int64_t size) {
  const Item* const items = order.sort();
  std::int64_t most = 0, index = 0;
  for (std::int64_t begin = 0, end = 0; begin < size; begin = end) {
    const std::uint64_t key = order.key(items[begin]);
    end = begin + 1;
    if (!order.is_nan(items[begin])) {
      while (end < size && order.key(items[end]) == key) ++end;
    }
    if (end - begin <= most) continue;
    most = end - begin;
    index = order.index(items[end - 1]);
  }
  return index;
}

/// Returns the index of the one element that the call selects.
std::int64_t selected_index(const OrderStatisticsArgs& args, RowOrder& order) {
  switch (args.op) {
    case OrderStatistic::kMedian:
      return median_index(order, args.size, false);
    case OrderStatistic::kNanMedian:
      return median_index(order, args.size, true);
    case OrderStatistic::kMode:
      return mode_index(order, args.size);
    default:
      return order.index(order.rank(args.k));
  }
}

void order_statistics(const OrderStatisticsArgs& args, KernelContext&) {
  const std::int64_t count = selected_count(args);
  for_each_row(args.outer * args.inner, args.size, [&](RowOrder& order, std::int64_t r) {
    const Row row = row_of(args.dtype, args.in, args.size, args.inner, r);
    const bool descending = args.op == OrderStatistic::kTop && args.largest != 0;
    const bool is_few = args.op == OrderStatistic::kTop && count <= RowOrder::kFew;
    std::int64_t few[RowOrder::kFew];
    if (is_few) {
      order.first_few(row, descending, count, few);
    } else {
      order.read(row, descending);
    }
    const std::int64_t at = r / args.inner * count * args.inner + r % args.inner;
    visit_size(element_size(args.dtype), [&](auto tag) {
      using Unit = typename decltype(tag)::type;
      const auto write = [&](std::int64_t i, std::int64_t index) {
        copy_element<Unit>(args.values, at + i * args.inner, row, index);
        args.indices[at + i * args.inner] = index;
      };
      if (args.op != OrderStatistic::kTop) return write(0, selected_index(args, order));
      const Item* const items = is_few ? nullptr : order.first(count);
      for (std::int64_t i = 0; i < count; ++i) write(i, is_few ? few[i] : order.index(items[i]));
    });
  });
}

}  // namespace

void register_order_statistics(KernelTable& table) {
  set<OrderStatisticsArgs, order_statistics>(table);
}

}  // namespace tern::cpu
