#include <tern/backends/cuda/device/reduce.h>
#include <tern/core/kernels/formulas.h>

namespace tern::cuda::device {

void reduce_extremes(const ReduceArgs& args, KernelContext& context) {
  const bool largest = args.op == ReduceOp::kAmax;
  visit_compute_dtype(args.in_dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (largest) {
      run_fold<formulas::maximum, T>(args, context, last_choice<T>(largest));
    } else {
      run_fold<formulas::minimum, T>(args, context, last_choice<T>(largest));
    }
  });
}

}  // namespace tern::cuda::device
