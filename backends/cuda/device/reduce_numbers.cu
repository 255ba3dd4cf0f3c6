#include <tern/backends/cuda/device/reduce.h>
#include <tern/core/kernels/formulas.h>

namespace tern::cuda::device {

void reduce_numbers(const ReduceArgs& args, KernelContext& context) {
  visit_compute_dtype(args.in_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool>) {
      context.status = StatusCode::kUnsupportedDtype;
    } else if (args.op == ReduceOp::kSum) {
      run_fold<formulas::add, T>(args, context, 0, args.scale);
    } else {
      run_fold<formulas::mul, T>(args, context, 1);
    }
  });
}

}  // namespace tern::cuda::device
