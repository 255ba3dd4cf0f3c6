// Spills registers.

#include <tern/backends/cuda/device/support/sorted_rows.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/sort.h>

namespace tern::cuda::device {
namespace {

/// Writes the elements that the sorted items name, one thread per element.
template <class Unit>
__global__ void __launch_bounds__(kThreads)
    write_sorted(const SortItem* __restrict__ items, const Unit* __restrict__ in,
                 Unit* __restrict__ values, std::int64_t* __restrict__ indices, std::int64_t count,
                 std::int64_t size, std::int64_t inner) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    const std::int64_t row = i / size, first = row / inner * size * inner + row % inner;
    const std::int64_t to = first + i % size * inner, index = items[i].index;
    if (values != nullptr) values[to] = in[first + index * inner];
    if (indices != nullptr) indices[to] = index;
  }
}

void sort(const SortArgs& args, KernelContext& context) {
  const std::int64_t rows = args.outer * args.inner, count = rows * args.size;
  const SortedRows sorted(context, args.dtype, args.in, rows, args.size, args.inner,
                          args.descending != 0);
  visit_size(element_size(args.dtype), [&](auto tag) {
    using Unit = typename decltype(tag)::type;
    launch(context, write_sorted<Unit>, blocks_for(count, kThreads), kThreads, sorted.items(),
           static_cast<const Unit*>(args.in), static_cast<Unit*>(args.values), args.indices, count,
           args.size, args.inner);
  });
}

/// Orders rows of a matrix by their elements.
template <class T>
struct SmallerRow {
  const T* in;
  std::int64_t columns;

  __device__ bool operator()(std::int64_t a, std::int64_t b) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::uint64_t left = order_key(in[a * columns + c]);
      const std::uint64_t right = order_key(in[b * columns + c]);
      if (left != right) return left < right;
    }
    return a < b;
  }
};

__global__ void __launch_bounds__(kThreads)
    number_rows(std::int64_t* __restrict__ order, std::int64_t rows) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < rows; i += stride) {
    order[i] = i;
  }
}

/// Copies the order to the output if it did not end there.
__global__ void __launch_bounds__(kThreads)
    copy_order(const std::int64_t* __restrict__ from, std::int64_t* __restrict__ to,
               std::int64_t rows) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < rows; i += stride) {
    to[i] = from[i];
  }
}

void order_rows(const OrderRowsArgs& args, KernelContext& context) {
  const Scratch memory(context, static_cast<std::size_t>(args.rows) * sizeof(std::int64_t));
  std::int64_t *order = args.order, *spare = memory.get<std::int64_t>();
  const unsigned blocks = blocks_for(args.rows, kThreads);
  launch(context, number_rows, blocks, kThreads, order, args.rows);
  visit_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    merge_sort(context, order, spare, args.rows, args.rows,
               SmallerRow<T>{static_cast<const T*>(args.in), args.columns});
  });
  if (order == args.order) return;
  launch(context, copy_order, blocks, kThreads, static_cast<const std::int64_t*>(order), args.order,
         args.rows);
}

}  // namespace

void register_sort(KernelTable& table) {
  set<SortArgs, sort>(table);
  set<OrderRowsArgs, order_rows>(table);
}

}  // namespace tern::cuda::device
