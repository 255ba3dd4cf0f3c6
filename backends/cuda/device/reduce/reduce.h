#pragma once

#include <limits>
#include <numeric>

#include <tern/backends/cuda/device/reduce/loops.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/core/kernels/families/reduce.h>

namespace tern::cuda::device {

// The ops of ReduceArgs, in separate files that compile in parallel.
void reduce_values(const ReduceArgs& args, KernelContext& context);
void reduce_arg(const ReduceArgs& args, KernelContext& context);
void reduce_truth(const ReduceArgs& args, KernelContext& context);

/// Returns the start value for finding the largest (or smallest) element: every element beats it.
template <class T>
constexpr T last_choice(bool largest) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return largest ? -Limits::infinity() : Limits::infinity();
  return largest ? Limits::lowest() : Limits::max();
}

/// An order of the dimensions in which the smallest stride comes last, so that consecutive indices
/// are neighbours in memory.
struct DimOrder {
  int dims[kMaxDims];

  DimOrder(int ndim, const std::int64_t* strides, bool sorted) {
    std::iota(dims, dims + ndim, 0);
    // Unsigned, so that stride 0 becomes the largest value and such a dimension comes first.
    const auto step = [&](int d) { return static_cast<std::uint64_t>(std::abs(strides[d])) - 1; };
    if (sorted) {
      std::stable_sort(dims, dims + ndim, [&](int a, int b) { return step(a) > step(b); });
    }
  }
};

template <class Operation>
void run_reduce(const ReduceArgs& args, KernelContext& context, const Operation& operation) {
  const bool order_counts = args.op == ReduceOp::kArgmax || args.op == ReduceOp::kArgmin;
  const DimOrder kept_order(args.kept_ndim, args.kept_in_strides, true);
  const DimOrder reduced_order(args.reduced_ndim, args.reduced_in_strides, !order_counts);
  StridedIndex<2> kept;
  for (int i = 0; i < args.kept_ndim; ++i) {
    const int d = kept_order.dims[i];
    kept.add_dim(args.kept_sizes[d], {args.kept_in_strides[d], args.kept_out_strides[d]});
  }
  StridedIndex<1> reduced;
  for (int i = 0; i < args.reduced_ndim; ++i) {
    const int d = reduced_order.dims[i];
    reduced.add_dim(args.reduced_sizes[d], {args.reduced_in_strides[d]});
  }
  run_reduction(context, kept, reduced, operation);
}

/// Calls `visitor(TypeTag<T>())` with the type in which reductions compute: int64 for bool and all
/// integers.
template <class Visitor>
void visit_reduced(ScalarType dtype, const Visitor& visitor) {
  if (dtype == kDouble) return visitor(TypeTag<double>());
  if (is_floating_point(dtype)) return visitor(TypeTag<float>());
  visitor(TypeTag<std::int64_t>());
}

/// Folds the elements of a row with a formula of two numbers.
template <class Formula, class T>
struct Fold {
  using State = T;
  Elements<T> in, out;
  T start;
  double scale;  // applied to floating results

  __device__ T identity() const { return start; }
  __device__ T at(std::int64_t offset, std::int64_t, std::int64_t) const { return in[offset]; }
  __device__ T operator()(T a, T b) const { return Formula::value(a, b); }
  __device__ void store(std::int64_t, std::int64_t offset, T result) const {
    if constexpr (std::is_floating_point_v<T>) result = static_cast<T>(result * scale);
    out.set(offset, result);
  }
};

template <class Formula, class T>
void run_fold(const ReduceArgs& args, KernelContext& context, T start, double scale = 1) {
  run_reduce(args, context,
             Fold<Formula, T>{{args.in, args.in_dtype}, {args.out, args.out_dtype}, start, scale});
}

}  // namespace tern::cuda::device
