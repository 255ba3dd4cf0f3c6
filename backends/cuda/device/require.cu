#include <tern/backends/cuda/device/kernels.h>
#include <tern/backends/cuda/device/late_failure.h>
#include <tern/backends/cuda/device/launch.h>

namespace tern::cuda::device {
namespace {

/// A thread per element.
__global__ void __launch_bounds__(kThreads)
    require_kernel(RequireOp op, std::int64_t count, const bool* __restrict__ holds,
                   LateFailure* failure) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= count || holds[i]) return;
  if (atomicCAS(&failure->found, 0, -1) != 0) return;
  failure->is_index = 0;
  failure->requirement = op;
  __threadfence_system();
  atomicExch(&failure->found, 1);
}

}  // namespace

void require(const RequireArgs& args, KernelContext& context) {
  launch(context, require_kernel, blocks_for(args.count, kThreads), kThreads, args.op, args.count,
         args.holds, late_failure(context));
}

}  // namespace tern::cuda::device
