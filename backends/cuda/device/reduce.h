#pragma once

#include <limits>

#include <tern/backends/cuda/device/reduction.h>

namespace tern::cuda::device {

// The ops of ReduceArgs, in files that compile side by side.
void reduce_numbers(const ReduceArgs& args, KernelContext& context);
void reduce_extremes(const ReduceArgs& args, KernelContext& context);
void reduce_positions(const ReduceArgs& args, KernelContext& context);
void reduce_truth(const ReduceArgs& args, KernelContext& context);

/// What every element beats when the largest is looked for, or the smallest.
template <class T>
constexpr T last_choice(bool largest) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return largest ? -Limits::infinity() : Limits::infinity();
  return largest ? Limits::lowest() : Limits::max();
}

template <class Operation>
void run_reduce(const ReduceArgs& args, KernelContext& context, const Operation& operation) {
  Places<2> kept;
  for (int d = 0; d < args.kept_ndim; ++d) {
    kept.add_dim(args.kept_sizes[d], {args.kept_in_strides[d], args.kept_out_strides[d]});
  }
  Places<1> reduced;
  for (int d = 0; d < args.reduced_ndim; ++d) {
    reduced.add_dim(args.reduced_sizes[d], {args.reduced_in_strides[d]});
  }
  run_reduction(context, kept, reduced, operation);
}

/// The elements of a row folded by a formula of two numbers.
template <class Formula, class T>
struct Fold {
  using State = T;
  const T* in;
  T* out;
  T start;
  double scale;  // of floating results

  __device__ T identity() const { return start; }
  __device__ T at(std::int64_t offset, std::int64_t, std::int64_t) const { return in[offset]; }
  __device__ T operator()(T a, T b) const { return Formula::value(a, b); }
  __device__ void store(std::int64_t, std::int64_t offset, T result) const {
    if constexpr (std::is_floating_point_v<T>) result = static_cast<T>(result * scale);
    out[offset] = result;
  }
};

template <class Formula, class T>
void run_fold(const ReduceArgs& args, KernelContext& context, T start, double scale = 1) {
  run_reduce(
      args, context,
      Fold<Formula, T>{static_cast<const T*>(args.in), static_cast<T*>(args.out), start, scale});
}

}  // namespace tern::cuda::device
