#include <tern/backends/cuda/device/reduce.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/kernels/formulas.h>

namespace tern::cuda::device {
namespace {

/// Computes the square root of the sum of squares, in double.
template <class T>
struct Norm {
  using State = double;
  const T* in;
  T* out;

  __device__ double identity() const { return 0; }
  __device__ double at(std::int64_t offset, std::int64_t, std::int64_t) const {
    return static_cast<double>(in[offset]) * static_cast<double>(in[offset]);
  }
  __device__ double operator()(double a, double b) const { return a + b; }
  __device__ void store(std::int64_t, std::int64_t offset, double sum) const {
    out[offset] = static_cast<T>(::sqrt(sum));
  }
};

template <class T>
void run_values(const ReduceArgs& args, KernelContext& context) {
  switch (args.op) {
    case ReduceOp::kAmax:
      return run_fold<formulas::maximum, T>(args, context, last_choice<T>(true));
    case ReduceOp::kAmin:
      return run_fold<formulas::minimum, T>(args, context, last_choice<T>(false));
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == ReduceOp::kNorm) {
      return run_reduce(args, context,
                        Norm<T>{static_cast<const T*>(args.in), static_cast<T*>(args.out)});
    }
  }
  if (std::is_same_v<T, bool> || args.op == ReduceOp::kNorm) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  if constexpr (!std::is_same_v<T, bool>) {
    if (args.op == ReduceOp::kSum) {
      run_fold<formulas::add, T>(args, context, 0, args.scale);
    } else {
      run_fold<formulas::mul, T>(args, context, 1);
    }
  }
}

}  // namespace

void reduce_values(const ReduceArgs& args, KernelContext& context) {
  visit_math_dtype(args.in_dtype,
                      [&](auto tag) { run_values<typename decltype(tag)::type>(args, context); });
}

}  // namespace tern::cuda::device
