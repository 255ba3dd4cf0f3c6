#include <cstring>

#include <tern/backends/cuda/device/elements.h>
#include <tern/backends/cuda/device/late_failure.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/backends/cuda/device/strided_index.h>
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
        per_unit(args.op == IndexOp::kGather || args.op == IndexOp::kScatterAdd),
        failure(late_failure(context)) {
    const std::int64_t size = moves_only(args) ? args.in_size : args.out_size;
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
    if (atomicCAS(&failure->found, 0, -1) == 0) {
      failure->is_index = 1;
      failure->op = op;
      failure->index = row;
      failure->limit = limit;
      __threadfence_system();
      atomicExch(&failure->found, 1);
    }
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

__device__ void add(float* sum, float x) { atomicAdd(sum, x); }
__device__ void add(double* sum, double x) { atomicAdd(sum, x); }
__device__ void add(std::int32_t* sum, std::int32_t x) { atomicAdd(sum, x); }
__device__ void add(std::int64_t* sum, std::int64_t x) {
  using Word = unsigned long long;
  atomicAdd(reinterpret_cast<Word*>(sum), static_cast<Word>(x));
}
__device__ void add(bool* sum, bool x) {
  if (x) *sum = true;
}

/// Adds to an element of one or two bytes: replaces the two bytes around it, and tries again if
/// another thread has changed them since they were read.
template <class T>
__device__ void add(T* sum, T x) {
  using Word = unsigned short;
  const auto address = reinterpret_cast<std::uintptr_t>(sum);
  auto* const word = reinterpret_cast<Word*>(address & ~std::uintptr_t{1});
  const unsigned shift = (address & 1) * 8;
  const unsigned mask = sizeof(T) == 1 ? 0xffu << shift : 0xffffu;
  Word bits = 0;
  std::memcpy(&bits, sum, sizeof(T));
  auto found = static_cast<Word>(bits << shift), expected = found;  // a guess: the other byte is 0
  do {
    expected = found;
    T element;
    bits = static_cast<Word>(expected >> shift);
    std::memcpy(&element, &bits, sizeof(T));
    using Wide = MathType<T>;
    element = narrowed<T>(static_cast<Wide>(widened<Wide>(element) + widened<Wide>(x)));
    bits = 0;
    std::memcpy(&bits, &element, sizeof(T));
    found = atomicCAS(word, expected, static_cast<Word>((expected & ~mask) | bits << shift));
  } while (found != expected);
}

/// One thread per element. Terms of one output element are added in any order.
template <class T>
__global__ void __launch_bounds__(kThreads)
    add_kernel(Indexed indexed, const T* __restrict__ in, T* __restrict__ out) {
  const std::int64_t element = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (element >= indexed.units.count) return;
  const std::int64_t offset = indexed.offset(element);
  if (offset >= 0) add(out + offset, in[element]);
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

template <class T>
void add(const IndexArgs& args, KernelContext& context) {
  const Indexed indexed(args, context, args.inner);
  launch(context, add_kernel<T>, blocks_for(indexed.units.count, kThreads), kThreads, indexed,
         static_cast<const T*>(args.in), static_cast<T*>(args.out));
}

void index(const IndexArgs& args, KernelContext& context) {
  if (!moves_only(args)) {
    return visit_dtype(args.dtype,
                       [&](auto tag) { add<typename decltype(tag)::type>(args, context); });
  }
  const std::size_t bytes = unit_bytes(args);
  if (bytes == sizeof(SixteenBytes)) return read<SixteenBytes>(args, context);
  visit_size(bytes, [&](auto tag) { read<typename decltype(tag)::type>(args, context); });
}

}  // namespace

void register_index(KernelTable& table) { set<IndexArgs, index>(table); }

}  // namespace tern::cuda::device
