#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/sorted_row.h>

namespace tern::sim {
namespace {

template <class T>
void sort_typed(const SortArgs& args) {
  for (std::int64_t row = 0; row < args.outer * args.inner; ++row) {
    const auto elements = sorted_row<T>(args, row, args.descending != 0);
    for (std::int64_t j = 0; j < args.size; ++j) {
      const auto [value, index] = elements[static_cast<std::size_t>(j)];
      const std::int64_t at = (row / args.inner * args.size + j) * args.inner + row % args.inner;
      if (args.values != nullptr) static_cast<T*>(args.values)[at] = narrow<T>(value);
      if (args.indices != nullptr) args.indices[at] = index;
    }
  }
}

void sort(const SortArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { sort_typed<typename decltype(tag)::type>(args); });
}

template <class T>
void order_rows_typed(const OrderRowsArgs& args) {
  const auto element = [&](std::int64_t row, std::int64_t column) {
    return static_cast<Wide<T>>(static_cast<const T*>(args.in)[row * args.columns + column]);
  };
  for (std::int64_t row = 0; row < args.rows; ++row) args.order[row] = row;
  std::stable_sort(args.order, args.order + args.rows, [&](std::int64_t a, std::int64_t b) {
    for (std::int64_t c = 0; c < args.columns; ++c) {
      if (is_smaller<T>(element(a, c), element(b, c))) return true;
      if (is_smaller<T>(element(b, c), element(a, c))) return false;
    }
    return false;
  });
}

void order_rows(const OrderRowsArgs& args, KernelContext&) {
  visit_dtype(args.dtype, [&](auto tag) { order_rows_typed<typename decltype(tag)::type>(args); });
}

template <class Args>
bool sorts_every_dtype(const Args&) {
  return true;
}

}  // namespace

void register_sort(OracleTable& table) {
  set<SortArgs, sorts_every_dtype<SortArgs>, sort>(table);
  set<OrderRowsArgs, sorts_every_dtype<OrderRowsArgs>, order_rows>(table);
}

}  // namespace tern::sim
