#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/order_key.h>

// Sorts rows by merging sorted runs of 1, 2, 4, ... items, short runs in shared memory. In each
// step, one thread per item finds where the item belongs in the merged run: a binary search counts
// the smaller items of the other run. No two items are equal, because their indices differ, so the
// order is stable.

namespace tern::cuda::device {

/// An element of a row: its key and its index in the row.
struct SortItem {
  std::uint64_t key;
  std::int64_t index;
};

struct SmallerItem {
  __device__ bool operator()(const SortItem& a, const SortItem& b) const {
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  }
};

/// Reads the rows of a contiguous [outer, size, inner] tensor.
template <class T>
__global__ void __launch_bounds__(kThreads)
    read_items(const T* __restrict__ in, SortItem* __restrict__ items, std::int64_t count,
               std::int64_t size, std::int64_t inner, std::uint64_t flip) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    const std::int64_t row = i / size, j = i % size;
    const std::int64_t at = (row / inner * size + j) * inner + row % inner;
    items[i] = {order_key(in[at]) ^ flip, j};
  }
}

/// Returns the index of item i of a row after neighbouring runs of `width` sorted items are merged.
template <class Item, class Row, class Smaller>
__device__ std::int64_t merged_index(Row&& row, std::int64_t size, std::int64_t i,
                                     std::int64_t width, const Smaller& smaller) {
  const Item item = row[i];
  const std::int64_t run = i / width, first = (run ^ 1) * width;  // of the other run
  std::int64_t begin = first < size ? first : size;
  std::int64_t end = first + width < size ? first + width : size;
  const std::int64_t other = begin;
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (smaller(static_cast<Item>(row[middle]), item)) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  const std::int64_t pair = (run - run % 2) * width;  // where the merged run begins
  return pair + (i - run * width) + (begin - other);
}

/// Merges neighbouring runs of `width` sorted items in rows of `size` items.
template <class Item, class Smaller>
__global__ void __launch_bounds__(kThreads)
    merge_runs(const Item* __restrict__ from, Item* __restrict__ to, std::int64_t count,
               std::int64_t size, std::int64_t width, Smaller smaller) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += stride) {
    const std::int64_t row = i - i % size;
    to[row + merged_index<Item>(from + row, size, i - row, width, smaller)] = from[i];
  }
}

/// The number of items that a block sorts in shared memory.
constexpr std::int64_t kSortTile = 1024;

/// Sorts runs of kSortTile items in rows of `size` items, one block per run.
template <class Item, class Smaller>
__global__ void __launch_bounds__(kThreads)
    sort_runs(Item* __restrict__ items, std::int64_t runs, std::int64_t size, Smaller smaller) {
  __shared__ SharedMatrix<Item, 2, kSortTile> tiles;
  const std::int64_t row_runs = (size + kSortTile - 1) / kSortTile;
  for (std::int64_t run = blockIdx.x; run < runs; run += gridDim.x) {
    const std::int64_t begin = run % row_runs * kSortTile;
    const std::int64_t count = size - begin < kSortTile ? size - begin : kSortTile;
    Item* const first = items + run / row_runs * size + begin;
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) tiles[0][i] = first[i];
    __syncthreads();
    int from = 0;
    for (std::int64_t width = 1; width < count; width *= 2, from ^= 1) {
      for (std::int64_t i = threadIdx.x; i < count; i += kThreads) {
        tiles[from ^ 1][merged_index<Item>(tiles[from], count, i, width, smaller)] = tiles[from][i];
      }
      __syncthreads();
    }
    for (std::int64_t i = threadIdx.x; i < count; i += kThreads) first[i] = tiles[from][i];
    __syncthreads();
  }
}

/// Sorts rows of `size` items. The sorted items end in `items`, which are swapped with `spare` if
/// necessary.
template <class Item, class Smaller>
void merge_sort(KernelContext& context, Item*& items, Item*& spare, std::int64_t count,
                std::int64_t size, Smaller smaller) {
  std::int64_t width = 1;
  if (size > kThreads) {  // else most threads of a block would have no item
    const std::int64_t runs = count / size * ((size + kSortTile - 1) / kSortTile);
    launch(context, sort_runs<Item, Smaller>, blocks_for(runs, 1), kThreads, items, runs, size,
           smaller);
    width = kSortTile;
  }
  for (; width < size; width *= 2) {
    launch(context, merge_runs<Item, Smaller>, blocks_for(count, kThreads), kThreads,
           static_cast<const Item*>(items), spare, count, size, width, smaller);
    std::swap(items, spare);
  }
}

/// The sorted rows of a contiguous [outer, size, inner] tensor. Null items if there is no memory.
class SortedRows {
 public:
  SortedRows(KernelContext& context, ScalarType dtype, const void* in, std::int64_t rows,
             std::int64_t size, std::int64_t inner, bool descending)
      : memory_(context, static_cast<std::size_t>(2 * rows * size) * sizeof(SortItem)),
        items_(memory_.get<SortItem>()) {
    if (items_ == nullptr) return;
    const std::int64_t count = rows * size;
    SortItem* spare = items_ + count;
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      launch(context, read_items<T>, blocks_for(count, kThreads), kThreads,
             static_cast<const T*>(in), items_, count, size, inner,
             descending ? kNanKey<T> : std::uint64_t{0});
    });
    merge_sort(context, items_, spare, count, size, SmallerItem());
  }

  const SortItem* items() const { return items_; }

 private:
  Scratch memory_;
  SortItem* items_;
};

}  // namespace tern::cuda::device
