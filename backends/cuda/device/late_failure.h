#pragma once

#include <cstdint>

#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

/// What a kernel leaves when it meets an index out of range or a value that breaks a rule. The
/// first failure of a device stays until it is reported: by the next call that waits.
struct LateFailure {
  std::int32_t found;     // 1 once the rest is there
  std::int32_t is_index;  // 1: op, index and limit tell; 0: requirement
  kernels::IndexOp op;
  kernels::RequireOp requirement;
  std::int64_t index, limit;
};

/// The buffer for the failures of the context's device, in memory that host and device see.
LateFailure* late_failure(kernels::KernelContext& context);

}  // namespace tern::cuda::device
