#pragma once

#include <cuda_runtime.h>

#include <tern/backends/cuda/device/runtime/late_failure.h>

namespace tern::cuda::device {

/// Records an index out of range, unless an earlier failure is recorded.
__device__ inline void record_bad_index(LateFailure* failure, kernels::IndexOp op,
                                        std::int64_t index, std::int64_t limit) {
  if (atomicCAS(&failure->found, 0, -1) != 0) return;
  failure->is_index = 1;
  failure->op = op;
  failure->index = index;
  failure->limit = limit;
  __threadfence_system();
  atomicExch(&failure->found, 1);
}

}  // namespace tern::cuda::device
