#pragma once

#include <cstdint>

#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/scratch.h>
#include <tern/backends/cuda/device/support/sorted_rows.h>

// Combines elements with the terms that have their indices, always in the same order, so that the
// bits are the same each time.

namespace tern::cuda::device {

/// Terms [outer, count, inner], dense or one value for all. The term (o, j, i) is for the element
/// o * outer_stride + key(j) * key_stride + i * inner_stride of the output.
struct Terms {
  std::int64_t outer, count, inner;
  std::int64_t outer_stride, key_stride, inner_stride;
  bool one_value = false;
};

/// The key of terms whose index is out of range. They come last and are skipped.
constexpr std::uint64_t kNoKey = UINT64_MAX;

enum class TermOp { kAdd, kMultiply, kReplace };

/// Combines each element of `out` with its terms in their order, in the math dtype, and rounds the
/// result once. Sums and products have floating dtypes. `items` has the keys and numbers of the
/// terms, and space for as many behind them.
void combine_sorted(KernelContext& context, TermOp op, ScalarType dtype, const Terms& terms,
                    const void* in, void* out, SortItem* items);

/// The same; `write_keys(items)` launches a kernel that writes the keys and numbers of the terms.
template <class WriteKeys>
void combine_in_order(KernelContext& context, TermOp op, ScalarType dtype, const Terms& terms,
                      const void* in, void* out, const WriteKeys& write_keys) {
  const Scratch memory(context, static_cast<std::size_t>(2 * terms.count) * sizeof(SortItem));
  auto* const items = memory.get<SortItem>();
  if (items == nullptr) return;
  write_keys(items);
  combine_sorted(context, op, dtype, terms, in, out, items);
}

}  // namespace tern::cuda::device
