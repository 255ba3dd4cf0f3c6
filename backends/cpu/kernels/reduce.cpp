// Instruction sets: baseline avx2.

#include <utility>

#include <tern/backends/cpu/kernels/reduce/reduce.h>
#include <tern/core/kernels/families/reduce.h>

namespace tern::cpu {
namespace {

/// Dimensions with one or two strides each.
struct Dims {
  std::int32_t& ndim;
  std::int64_t* sizes;
  std::int64_t* in_strides;
  std::int64_t* out_strides;  // null for reduced dimensions

  void sort() {
    for (int i = 1; i < ndim; ++i) {
      for (int j = i; j > 0 && in_strides[j - 1] < in_strides[j]; --j) {
        std::swap(sizes[j - 1], sizes[j]);
        std::swap(in_strides[j - 1], in_strides[j]);
        if (out_strides != nullptr) std::swap(out_strides[j - 1], out_strides[j]);
      }
    }
  }

  void merge() {
    int last = 0;
    for (int d = 1; d < ndim; ++d) {
      const bool merges =
          in_strides[last] == in_strides[d] * sizes[d] &&
          (out_strides == nullptr || out_strides[last] == out_strides[d] * sizes[d]);
      if (merges) {
        sizes[last] *= sizes[d];
      } else {
        sizes[++last] = sizes[d];
      }
      in_strides[last] = in_strides[d];
      if (out_strides != nullptr) out_strides[last] = out_strides[d];
    }
    if (ndim > 0) ndim = last + 1;
  }
};

bool is_sorted(int ndim, const std::int64_t* strides) {
  for (int d = 1; d < ndim; ++d) {
    if (strides[d - 1] < strides[d]) return false;
  }
  return true;
}

/// Returns the same reduction with its dimensions in the order of the input's memory, merged where
/// the strides allow it; `storage` holds the result if it differs from `args`. With `order_counts`,
/// where indices are part of the result, the reduced dimensions stay unchanged.
const kernels::ReduceArgs& in_memory_order(const kernels::ReduceArgs& args, bool order_counts,
                                           kernels::ReduceArgs& storage) {
  const bool kept_sorted = is_sorted(args.kept_ndim, args.kept_in_strides);
  if (kept_sorted && (order_counts || is_sorted(args.reduced_ndim, args.reduced_in_strides))) {
    return args;
  }
  storage = args;
  Dims kept{storage.kept_ndim, storage.kept_sizes, storage.kept_in_strides,
            storage.kept_out_strides};
  kept.sort();
  kept.merge();
  if (!order_counts) {
    Dims reduced{storage.reduced_ndim, storage.reduced_sizes, storage.reduced_in_strides, nullptr};
    reduced.sort();
    reduced.merge();
  }
  return storage;
}

void reduce(const kernels::ReduceArgs& given, kernels::KernelContext& context) {
  using enum kernels::ReduceOp;
  kernels::ReduceArgs storage;
  const bool order_counts = given.op == kArgmax || given.op == kArgmin;
  const kernels::ReduceArgs& args = in_memory_order(given, order_counts, storage);
  switch (args.op) {
    case kSum:
    case kProd:
    case kAmax:
    case kAmin:
    case kNanSum:
      return reduce_values(args, context);
    case kAny:
    case kAll:
    case kCount:
      return reduce_truth(args);
    case kArgmax:
    case kArgmin:
      return reduce_arg(args);
    case kNorm:
      return reduce_norm(args, context);
  }
}

}  // namespace

void register_reduce(kernels::KernelTable& table) {
  kernels::set<kernels::ReduceArgs, reduce>(table);
}

}  // namespace tern::cpu
