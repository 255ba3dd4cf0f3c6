#include <tern/backends/cuda/device/support/sorted_rows.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/order_statistics.h>

namespace tern::cuda::device {
namespace {

/// Returns the rank of the first NaN in a sorted row; `size` if there is none.
__device__ inline std::int64_t first_nan(const SortItem* items, std::int64_t size,
                                         std::uint64_t nan_key) {
  std::int64_t begin = 0, end = size;
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (items[middle].key < nan_key) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

/// Returns the rank of the last one of the most frequent elements.
__device__ inline std::int64_t mode_rank(const SortItem* items, std::int64_t size,
                                         std::int64_t numbers) {
  std::int64_t most = 0, rank = 0;
  for (std::int64_t begin = 0, end = 0; begin < size; begin = end) {
    end = begin + 1;
    while (begin < numbers && end < numbers && items[end].key == items[begin].key) ++end;
    if (end - begin <= most) continue;
    most = end - begin;
    rank = end - 1;
  }
  return rank;
}

/// Returns the rank of the one element that the call selects. `numbers` elements are no NaN.
__device__ inline std::int64_t selected_rank(OrderStatistic op, const SortItem* items,
                                             std::int64_t size, std::int64_t k,
                                             std::int64_t numbers) {
  switch (op) {
    case OrderStatistic::kMedian:
      return numbers < size ? numbers : (size - 1) / 2;
    case OrderStatistic::kNanMedian:
      return numbers == 0 ? 0 : (numbers - 1) / 2;
    case OrderStatistic::kMode:
      return mode_rank(items, size, numbers);
    default:
      return k;
  }
}

/// One thread per selected element. `nan_key` is 0 for dtypes without NaN.
template <class Unit>
__global__ void __launch_bounds__(kThreads)
    write_selected(OrderStatisticsArgs args, const SortItem* __restrict__ items, std::int64_t count,
                   std::int64_t total, std::uint64_t nan_key) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  const auto* const in = static_cast<const Unit*>(args.in);
  auto* const values = static_cast<Unit*>(args.values);
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < total; i += stride) {
    const std::int64_t row = i / count, j = i % count, column = row % args.inner;
    const SortItem* const sorted = items + row * args.size;
    std::int64_t rank = j;
    if (args.op != OrderStatistic::kTop) {
      const std::int64_t numbers = nan_key == 0 ? args.size : first_nan(sorted, args.size, nan_key);
      rank = selected_rank(args.op, sorted, args.size, args.k, numbers);
    }
    const std::int64_t index = sorted[rank].index, outer = row / args.inner;
    const std::int64_t to = (outer * count + j) * args.inner + column;
    values[to] = in[(outer * args.size + index) * args.inner + column];
    args.indices[to] = index;
  }
}

void order_statistics(const OrderStatisticsArgs& args, KernelContext& context) {
  const std::int64_t rows = args.outer * args.inner, count = selected_count(args);
  const SortedRows sorted(context, args.dtype, args.in, rows, args.size, args.inner,
                          args.op == OrderStatistic::kTop && args.largest != 0);
  const std::uint64_t nan_key = visit_dtype(args.dtype, [](auto tag) -> std::uint64_t {
    using T = typename decltype(tag)::type;
    return is_floating_point(dtype_of<T>()) ? kNanKey<T> : 0;
  });
  visit_size(element_size(args.dtype), [&](auto tag) {
    launch(context, write_selected<typename decltype(tag)::type>,
           blocks_for(rows * count, kThreads), kThreads, args, sorted.items(), count, rows * count,
           nan_key);
  });
}

}  // namespace

void register_order_statistics(KernelTable& table) {
  set<OrderStatisticsArgs, order_statistics>(table);
}

}  // namespace tern::cuda::device
