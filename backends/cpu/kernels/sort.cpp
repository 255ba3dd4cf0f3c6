// Instruction sets: baseline avx2.

#include <algorithm>

#include <tern/backends/cpu/kernels/sort/row_order.h>
#include <tern/core/kernels/families/sort.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kSortGrain = 16384;

/// Writes the elements that the items name.
template <class Unit>
void write_sorted(const SortArgs& args, const RowOrder& order, const Item* items, const Row& row,
                  std::int64_t at) {
  parallel_for(0, args.size, kSortGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t index = order.index(items[i]), to = at + i * args.inner;
      if (args.values != nullptr) copy_element<Unit>(args.values, to, row, index);
      if (args.indices != nullptr) args.indices[to] = index;
    }
  });
}

void sort_rows(const SortArgs& args, KernelContext&) {
  for_each_row(args.outer * args.inner, args.size, [&](RowOrder& order, std::int64_t r) {
    const Row row = row_of(args.dtype, args.in, args.size, args.inner, r);
    order.read(row, args.descending != 0);
    const Item* const items = order.sort();
    const std::int64_t at = r / args.inner * args.size * args.inner + r % args.inner;
    visit_size(element_size(args.dtype), [&](auto tag) {
      write_sorted<typename decltype(tag)::type>(args, order, items, row, at);
    });
  });
}

/// Returns whether row a comes before row b, which lie `columns` elements apart.
template <class T>
bool precedes(const void* in, std::int64_t columns, std::int64_t a, std::int64_t b) {
  const T* const left = static_cast<const T*>(in) + a * columns;
  const T* const right = static_cast<const T*>(in) + b * columns;
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::uint64_t left_key = order_key(left[c]), right_key = order_key(right[c]);
    if (left_key != right_key) return left_key < right_key;
  }
  return a < b;
}

/// Sorts by the first column, and then rows with equal first elements by all columns.
void order_rows(const OrderRowsArgs& args, KernelContext&) {
  using Precedes = bool (*)(const void*, std::int64_t, std::int64_t, std::int64_t);
  const Precedes compare = visit_dtype(
      args.dtype, [](auto tag) -> Precedes { return precedes<typename decltype(tag)::type>; });
  for_each_row(1, args.rows, [&](RowOrder& order, std::int64_t) {
    order.read({args.dtype, static_cast<const char*>(args.in), args.rows, args.columns}, false);
    const Item* const items = order.sort();
    for (std::int64_t begin = 0, end = 0; begin < args.rows; begin = end) {
      const std::uint64_t key = order.key(items[begin]);
      for (end = begin; end < args.rows && order.key(items[end]) == key; ++end) {
        args.order[end] = order.index(items[end]);
      }
      if (end - begin == 1) continue;
      std::sort(args.order + begin, args.order + end, [&](std::int64_t a, std::int64_t b) {
        return compare(args.in, args.columns, a, b);
      });
    }
  });
}

}  // namespace

void register_sort(KernelTable& table) {
  set<SortArgs, sort_rows>(table);
  set<OrderRowsArgs, order_rows>(table);
}

}  // namespace tern::cpu
