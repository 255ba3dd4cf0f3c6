#include <tern/backends/cuda/device/support/atomic_update.h>
#include <tern/backends/cuda/device/support/bad_index.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/ordered_terms.h>
#include <tern/backends/cuda/device/support/strided_index.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/advanced_index.h>

namespace tern::cuda::device {
namespace {

/// The indexed tensor as a function of the elements of the other tensor.
struct Named {
  AdvancedIndexArgs args;
  /// First offset: the row of indices; second: the offset of the dimensions without indices.
  StridedIndex<2> elements;
  LateFailure* failure;

  Named(const AdvancedIndexArgs& all, KernelContext& context)
      : args(all), failure(late_failure(context)) {
    elements.add_dim(args.outer, {0, args.outer_stride});
    elements.add_dim(args.count, {1, 0});
    elements.add_dim(args.inner, {0, args.inner_stride});
  }

  /// Sets `offset` to where the element's indices point. Records an index out of range and returns
  /// false.
  __device__ bool find(std::int64_t element, std::int64_t& offset) const {
    std::int64_t offsets[2];
    elements.offsets(element, offsets);
    offset = offsets[1];
    for (std::int32_t d = 0; d < args.indexed; ++d) {
      const std::int64_t index = args.index[d * args.count + offsets[0]], size = args.sizes[d];
      if (index >= size || index < (args.wraps != 0 ? -size : 0)) {
        record_bad_index(failure, args.op, index, size);
        return false;
      }
      offset += (index < 0 ? index + size : index) * args.strides[d];
    }
    return true;
  }
};

/// One thread per element. Of equal indices any one wins.
template <class T>
__global__ void __launch_bounds__(kThreads) move_kernel(Named named) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  std::int64_t offset;
  if (element >= named.elements.count || !named.find(element, offset)) return;
  const auto in = static_cast<const T*>(named.args.in);
  const auto out = static_cast<T*>(named.args.out);
  if (named.args.action == IndexAction::kGet) {
    out[element] = in[offset];
  } else {
    out[offset] = in[named.args.one_value != 0 ? 0 : element];
  }
}

/// One thread per element. Terms of one sum are added in any order.
template <class T>
__global__ void __launch_bounds__(kThreads) accumulate_kernel(Named named) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  std::int64_t offset;
  if (element >= named.elements.count || !named.find(element, offset)) return;
  const auto in = static_cast<const T*>(named.args.in);
  atomic_add(static_cast<T*>(named.args.out) + offset, in[named.args.one_value != 0 ? 0 : element]);
}

/// Writes the keys of terms: what their indices add to the offset. One thread per row of indices.
__global__ void __launch_bounds__(kThreads)
    write_offsets_kernel(Named named, SortItem* __restrict__ items) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= named.elements.count) return;
  std::int64_t offset;
  const bool found = named.find(row, offset);
  items[row] = {found ? static_cast<std::uint64_t>(offset) : kNoKey, row};
}

void put_in_order(TermOp op, const AdvancedIndexArgs& args, KernelContext& context) {
  AdvancedIndexArgs rows = args;
  rows.outer = rows.inner = 1;
  const Named named(rows, context);
  const Terms terms{args.outer, args.count,        args.inner,         args.outer_stride,
                    1,          args.inner_stride, args.one_value != 0};
  combine_in_order(context, op, args.dtype, terms, args.in, args.out, [&](SortItem* items) {
    launch(context, write_offsets_kernel, blocks_for(args.count, kThreads), kThreads, named, items);
  });
}

void accumulate(const AdvancedIndexArgs& args, KernelContext& context) {
  if (args.dtype == kFloat || args.dtype == kDouble) {
    return put_in_order(TermOp::kAdd, args, context);
  }
  visit_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (is_floating_point(dtype_of<T>())) {
      context.status = StatusCode::kUnsupportedDtype;
    } else {
      const Named named(args, context);
      launch(context, accumulate_kernel<T>, blocks_for(named.elements.count, kThreads), kThreads,
             named);
    }
  });
}

void advanced_index(const AdvancedIndexArgs& args, KernelContext& context) {
  if (args.action == IndexAction::kAccumulate) return accumulate(args, context);
  if (args.in_order != 0 && args.action == IndexAction::kPut && args.one_value == 0) {
    return put_in_order(TermOp::kReplace, args, context);
  }
  const Named named(args, context);
  visit_size(element_size(args.dtype), [&](auto tag) {
    launch(context, move_kernel<typename decltype(tag)::type>,
           blocks_for(named.elements.count, kThreads), kThreads, named);
  });
}

}  // namespace

void register_advanced_index(KernelTable& table) { set<AdvancedIndexArgs, advanced_index>(table); }

}  // namespace tern::cuda::device
