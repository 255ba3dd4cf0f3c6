#include <tern/backends/cuda/device/reduce/reduce.h>
#include <tern/core/kernels/formulas/formulas.h>
#include <tern/core/kernels/math/is_nan.h>

namespace tern::cuda::device {
namespace {

/// Computes the square root of the sum of squares, in double.
template <class T>
struct Norm {
  using State = double;
  Elements<T> in, out;
  double scale;

  __device__ double identity() const { return 0; }
  __device__ double at(std::int64_t offset, std::int64_t, std::int64_t) const {
    const double x = in[offset];
    return x * x;
  }
  __device__ double operator()(double a, double b) const { return a + b; }
  __device__ void store(std::int64_t, std::int64_t offset, double sum) const {
    out.set(offset, static_cast<T>(::sqrt(sum) * scale));
  }
};

/// Computes the sum of the elements that are not NaN.
template <class T>
struct NanSum : Fold<formulas::add, T> {
  __device__ T at(std::int64_t offset, std::int64_t, std::int64_t) const {
    const T x = this->in[offset];
    return is_nan(x) ? T(0) : x;
  }
};

template <class T>
void run_values(const ReduceArgs& args, KernelContext& context) {
  switch (args.op) {
    case ReduceOp::kAmax:
      return run_fold<formulas::maximum, T>(args, context, last_choice<T>(true));
    case ReduceOp::kAmin:
      return run_fold<formulas::minimum, T>(args, context, last_choice<T>(false));
    case ReduceOp::kSum:
      return run_fold<formulas::add, T>(args, context, 0, args.scale);
    case ReduceOp::kProd:
      return run_fold<formulas::mul, T>(args, context, 1);
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == ReduceOp::kNanSum) {
      const Elements<T> in{args.in, args.in_dtype}, out{args.out, args.out_dtype};
      return run_reduce(args, context, NanSum<T>{{in, out, 0, args.scale}});
    }
    const Elements<T> in{args.in, args.in_dtype}, out{args.out, args.out_dtype};
    run_reduce(args, context, Norm<T>{in, out, args.scale});
  } else {
    context.status = StatusCode::kUnsupportedDtype;
  }
}

}  // namespace

void reduce_values(const ReduceArgs& args, KernelContext& context) {
  const bool extreme = args.op == ReduceOp::kAmax || args.op == ReduceOp::kAmin;
  if (!extreme && args.out_dtype == kBool) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  visit_reduced(args.in_dtype,
                [&](auto tag) { run_values<typename decltype(tag)::type>(args, context); });
}

}  // namespace tern::cuda::device
