#include <tern/backends/sim/kernels/kernels.h>
#include <tern/backends/sim/kernels/sorted_row.h>

namespace tern::sim {
namespace {

// Returns the first of the most frequent elements in sorted order, where it occurs last.
template <class T>
RowElement<T> most_frequent(const std::vector<RowElement<T>>& sorted) {
  std::size_t most = 0, run = 0;
  RowElement<T> result = sorted[0];
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    run = i > 0 && sorted[i].value == sorted[i - 1].value ? run + 1 : 1;
    const bool ends = i + 1 == sorted.size() || sorted[i + 1].value != sorted[i].value;
    if (!ends || run <= most) continue;
    most = run;
    result = sorted[i];
  }
  return result;
}

template <class T>
RowElement<T> selected(const OrderStatisticsArgs& args, const std::vector<RowElement<T>>& sorted) {
  const auto first_nan = std::find_if(sorted.begin(), sorted.end(), [](const auto& element) {
    return is_nan_element<T>(element.value);
  });
  const auto numbers = static_cast<std::size_t>(first_nan - sorted.begin());
  switch (args.op) {
    case OrderStatistic::kMedian:
      return first_nan != sorted.end() ? *first_nan : sorted[(sorted.size() - 1) / 2];
    case OrderStatistic::kNanMedian:
      return sorted[numbers == 0 ? 0 : (numbers - 1) / 2];
    case OrderStatistic::kMode:
      return most_frequent<T>(sorted);
    default:
      return sorted[static_cast<std::size_t>(args.k)];
  }
}

template <class T>
void order_statistics_typed(const OrderStatisticsArgs& args) {
  const std::int64_t count = selected_count(args);
  const bool is_top = args.op == OrderStatistic::kTop;
  for (std::int64_t row = 0; row < args.outer * args.inner; ++row) {
    const auto sorted = sorted_row<T>(args, row, is_top && args.largest != 0);
    for (std::int64_t j = 0; j < count; ++j) {
      const auto [value, index] =
          is_top ? sorted[static_cast<std::size_t>(j)] : selected<T>(args, sorted);
      const std::int64_t at = (row / args.inner * count + j) * args.inner + row % args.inner;
      static_cast<T*>(args.values)[at] = narrow<T>(value);
      args.indices[at] = index;
    }
  }
}

void order_statistics(const OrderStatisticsArgs& args, KernelContext&) {
  visit_dtype(args.dtype,
              [&](auto tag) { order_statistics_typed<typename decltype(tag)::type>(args); });
}

bool selects_every_dtype(const OrderStatisticsArgs&) { return true; }

}  // namespace

void register_order_statistics(OracleTable& table) {
  set<OrderStatisticsArgs, selects_every_dtype, order_statistics>(table);
}

}  // namespace tern::sim
