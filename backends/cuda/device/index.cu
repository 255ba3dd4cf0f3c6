#include <type_traits>

#include <tern/backends/cuda/device/support/bad_index.h>
#include <tern/backends/cuda/device/support/combine_terms.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/ordered_terms.h>
#include <tern/backends/cuda/device/support/strided_index.h>
#include <tern/backends/cuda/device/support/widened_output.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/index.h>

namespace tern::cuda::device {
namespace {

/// The indexed tensor: for each index of the outer dimension, `size` rows of `inner` units.
struct Indexed {
  IndexOp op;
  const std::int64_t* index;
  std::int64_t limit, inner;
  bool per_unit;  // one index per unit instead of one per row
  /// Walks over the units of the tensor with the index's shape. First offset: the unit's row of
  /// indices; second offset: the unit's offset in the indexed tensor if its index were 0.
  StridedIndex<2> units;
  LateFailure* failure;

  Indexed(const IndexArgs& args, KernelContext& context, std::int64_t units_inner)
      : op(args.op),
        index(args.index),
        limit(args.limit),
        inner(units_inner),
        per_unit(!one_index_per_row(args)),
        failure(late_failure(context)) {
    const std::int64_t size = reads_indexed(args) ? args.in_size : args.out_size;
    units.add_dim(args.outer, {0, size * inner});
    units.add_dim(args.count, {1, 0});
    units.add_dim(inner, {0, 1});
  }

  /// Returns the unit's offset in the indexed tensor. Records an index out of range and returns -1.
  __device__ std::int64_t offset(std::int64_t unit) const {
    std::int64_t offsets[2];
    units.offsets(unit, offsets);
    const std::int64_t row = index[per_unit ? unit : offsets[0]];
    if (row >= 0 && row < limit) return offsets[1] + row * inner;
    record_bad_index(failure, op, row, limit);
    return -1;
  }
};

/// One thread per unit.
template <class Unit>
__global__ void __launch_bounds__(kThreads)
    read_kernel(Indexed indexed, const Unit* __restrict__ in, Unit* __restrict__ out) {
  const std::int64_t unit = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (unit >= indexed.units.count) return;
  const std::int64_t offset = indexed.offset(unit);
  if (offset >= 0) out[unit] = in[offset];
}

/// One thread per element. Equal indices combine in any order.
template <class Op, class T, class Out>
__global__ void __launch_bounds__(kThreads)
    write_kernel(Indexed indexed, const T* __restrict__ in, Out* __restrict__ out) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (element >= indexed.units.count) return;
  const std::int64_t offset = indexed.offset(element);
  if (offset >= 0) combine_atomically<Op>(out + offset, widened<Out>(in[element]));
}

/// Writes the keys of terms: the rows or elements that they name. One thread per term.
__global__ void __launch_bounds__(kThreads)
    write_keys_kernel(Indexed indexed, SortItem* __restrict__ items) {
  const std::int64_t term = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (term >= indexed.units.count) return;
  const std::int64_t key = indexed.offset(term);
  items[term] = {key < 0 ? kNoKey : static_cast<std::uint64_t>(key), term};
}

struct alignas(16) SixteenBytes {
  std::uint64_t words[2];
};

/// Returns the bytes that one thread copies: one element, or up to 16 bytes when whole rows are
/// copied.
std::size_t unit_bytes(const IndexArgs& args) {
  const std::size_t element = element_size(args.dtype);
  if (args.op == IndexOp::kGather) return element;
  const std::size_t all = static_cast<std::size_t>(args.inner) * element |
                          reinterpret_cast<std::uintptr_t>(args.in) |
                          reinterpret_cast<std::uintptr_t>(args.out) | sizeof(SixteenBytes);
  return all & (~all + 1);  // the largest power of two that divides all of them
}

template <class Unit>
void read(const IndexArgs& args, KernelContext& context) {
  const std::size_t row = static_cast<std::size_t>(args.inner) * element_size(args.dtype);
  const Indexed indexed(args, context, static_cast<std::int64_t>(row / sizeof(Unit)));
  launch(context, read_kernel<Unit>, blocks_for(indexed.units.count, kThreads), kThreads, indexed,
         static_cast<const Unit*>(args.in), static_cast<Unit*>(args.out));
}

template <class Op, class T, class Out>
void write(const IndexArgs& args, KernelContext& context, Out* out) {
  const Indexed indexed(args, context, args.inner);
  launch(context, write_kernel<Op, T, Out>, blocks_for(indexed.units.count, kThreads), kThreads,
         indexed, static_cast<const T*>(args.in), out);
}

void write_in_order(TermOp op, const IndexArgs& args, KernelContext& context) {
  const bool rows = one_index_per_row(args);
  IndexArgs keys = args;
  if (rows) keys.outer = keys.inner = 1;
  const Indexed indexed(keys, context, keys.inner);
  Terms terms{1, indexed.units.count, 1, 0, 1, 0};
  if (rows) terms = {args.outer, args.count, args.inner, args.out_size * args.inner, args.inner, 1};
  combine_in_order(context, op, args.dtype, terms, args.in, args.out, [&](SortItem* items) {
    launch(context, write_keys_kernel, blocks_for(terms.count, kThreads), kThreads, indexed, items);
  });
}

/// Combines floating numbers, whose order counts because results are rounded.
template <class Op, class T>
void write_rounded(const IndexArgs& args, KernelContext& context) {
  constexpr std::int64_t kFew = 16;  // elements of the output per term that are not worth a copy
  const bool few = is_narrow(args.dtype) && args.count * kFew <= args.out_size;
  if (args.in_order != 0 || one_index_per_row(args) || few) {
    write_in_order(std::is_same_v<Op, AddTerms> ? TermOp::kAdd : TermOp::kMultiply, args, context);
  } else {
    run_on_widened(context, static_cast<T*>(args.out), args.outer * args.out_size * args.inner,
                   [&](auto* out) { write<Op, T>(args, context, out); });
  }
}

template <class Op>
void write_dtype(const IndexArgs& args, KernelContext& context) {
  constexpr bool kRounds = std::is_same_v<Op, AddTerms> || std::is_same_v<Op, MultiplyTerms>;
  visit_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (kRounds && is_floating_point(dtype_of<T>())) {
      write_rounded<Op, T>(args, context);
    } else {
      write<Op, T>(args, context, static_cast<T*>(args.out));
    }
  });
}

void index(const IndexArgs& args, KernelContext& context) {
  switch (args.op) {
    case IndexOp::kAdd:
    case IndexOp::kScatterAdd:
      return write_dtype<AddTerms>(args, context);
    case IndexOp::kScatter:
      if (args.in_order != 0) return write_in_order(TermOp::kReplace, args, context);
      return visit_size(element_size(args.dtype), [&](auto tag) {
        using T = typename decltype(tag)::type;
        write<LastTerm, T>(args, context, static_cast<T*>(args.out));
      });
    case IndexOp::kScatterProd:
      return write_dtype<MultiplyTerms>(args, context);
    case IndexOp::kScatterAmax:
      return write_dtype<LargestTerm>(args, context);
    case IndexOp::kScatterAmin:
      return write_dtype<SmallestTerm>(args, context);
    default:
      break;
  }
  const std::size_t bytes = unit_bytes(args);
  if (bytes == sizeof(SixteenBytes)) return read<SixteenBytes>(args, context);
  visit_size(bytes, [&](auto tag) { read<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_index(KernelTable& table) { set<IndexArgs, index>(table); }

}  // namespace tern::cuda::device
