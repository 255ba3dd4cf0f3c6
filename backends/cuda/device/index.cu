#include <type_traits>

#include <tern/backends/cuda/device/atomic_update.h>
#include <tern/backends/cuda/device/bad_index.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/strided_index.h>
#include <tern/core/kernels/by_size.h>
#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/is_nan.h>

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

struct AddElement {
  template <class T>
  __device__ static void apply(T* to, T x) {
    atomic_add(to, x);
  }
};
struct SetElement {
  template <class T>
  __device__ static void apply(T* to, T x) {
    *to = x;
  }
};
/// Combines as kScatterProd, kScatterAmax or kScatterAmin.
template <IndexOp op>
struct ReduceElement {
  template <class T>
  __device__ static void apply(T* to, T x) {
    using Wide = MathType<T>;
    atomic_update(
        to, [x](T old) { return narrowed<T>(combine(widened<Wide>(old), widened<Wide>(x))); });
  }
  template <class Wide>
  __device__ static Wide combine(Wide old, Wide x) {
    if constexpr (op == IndexOp::kScatterProd && std::is_integral_v<Wide> &&
                  !std::is_same_v<Wide, bool>) {
      using Unsigned = std::make_unsigned_t<Wide>;  // wraps around
      return static_cast<Wide>(static_cast<Unsigned>(old) * static_cast<Unsigned>(x));
    } else if constexpr (op == IndexOp::kScatterProd) {
      return static_cast<Wide>(old * x);
    } else {
      const bool wins = op == IndexOp::kScatterAmax ? old < x : x < old;
      return wins || is_nan(x) ? x : old;
    }
  }
};

/// One thread per element. Equal indices combine in any order.
template <class Op, class T>
__global__ void __launch_bounds__(kThreads)
    write_kernel(Indexed indexed, const T* __restrict__ in, T* __restrict__ out) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (element >= indexed.units.count) return;
  const std::int64_t offset = indexed.offset(element);
  if (offset >= 0) Op::apply(out + offset, in[element]);
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

template <class Op, class T>
void write(const IndexArgs& args, KernelContext& context) {
  const Indexed indexed(args, context, args.inner);
  launch(context, write_kernel<Op, T>, blocks_for(indexed.units.count, kThreads), kThreads, indexed,
         static_cast<const T*>(args.in), static_cast<T*>(args.out));
}

template <class Op>
void write_dtype(const IndexArgs& args, KernelContext& context) {
  visit_dtype(args.dtype,
              [&](auto tag) { write<Op, typename decltype(tag)::type>(args, context); });
}

void index(const IndexArgs& args, KernelContext& context) {
  switch (args.op) {
    case IndexOp::kAdd:
    case IndexOp::kScatterAdd:
      return write_dtype<AddElement>(args, context);
    case IndexOp::kScatter:
      return visit_size(element_size(args.dtype), [&](auto tag) {
        write<SetElement, typename decltype(tag)::type>(args, context);
      });
    case IndexOp::kScatterProd:
      return write_dtype<ReduceElement<IndexOp::kScatterProd>>(args, context);
    case IndexOp::kScatterAmax:
      return write_dtype<ReduceElement<IndexOp::kScatterAmax>>(args, context);
    case IndexOp::kScatterAmin:
      return write_dtype<ReduceElement<IndexOp::kScatterAmin>>(args, context);
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
