#include <tern/backends/cuda/device/reduce.h>
#include <tern/core/kernels/math_dtype.h>
#include <tern/core/kernels/formulas.h>

namespace tern::cuda::device {
namespace {

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
  if constexpr (std::is_same_v<T, bool>) {
    context.status = StatusCode::kUnsupportedDtype;
  } else if (args.op == ReduceOp::kSum) {
    run_fold<formulas::add, T>(args, context, 0, args.scale);
  } else {
    run_fold<formulas::mul, T>(args, context, 1);
  }
}

}  // namespace

void reduce_values(const ReduceArgs& args, KernelContext& context) {
  visit_math_dtype(args.in_dtype,
                      [&](auto tag) { run_values<typename decltype(tag)::type>(args, context); });
}

}  // namespace tern::cuda::device
