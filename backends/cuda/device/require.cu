#include <tern/backends/cuda/device/runtime/late_failure.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/late_error.h>
#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cuda::device {
namespace {

/// One thread per element.
template <class T>
__global__ void __launch_bounds__(kThreads)
    require_kernel(RequireOp op, std::int64_t count, const T* __restrict__ values,
                   LateFailure* failure) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count || keeps_rule(op, values[i])) return;
  if (atomicCAS(&failure->found, 0, -1) != 0) return;
  failure->is_index = 0;
  failure->requirement = op;
  __threadfence_system();
  atomicExch(&failure->found, 1);
}

void require(const RequireArgs& args, KernelContext& context) {
  visit_math_dtype(args.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(context, require_kernel<T>, blocks_for(args.count, kThreads), kThreads, args.op,
           args.count, static_cast<const T*>(args.values), late_failure(context));
  });
}

}  // namespace

void register_require(KernelTable& table) { set<RequireArgs, require>(table); }

}  // namespace tern::cuda::device
