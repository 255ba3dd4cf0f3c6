#pragma once

#include <cstdint>

#include <tern/core/kernels/families/index.h>
#include <tern/core/kernels/families/require.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

/// The record that a kernel leaves for an index out of range or a value that breaks a rule. The
/// first failure of a device stays until the next call that waits reports it.
struct LateFailure {
  std::int32_t found;     // 1 once the other members are set
  std::int32_t is_index;  // 1: op, index and limit are valid; 0: requirement is
  kernels::IndexOp op;
  kernels::RequireOp requirement;
  std::int64_t index, limit;
};

/// Returns the failure buffer of the context's device, in memory that host and device can access.
LateFailure* late_failure(kernels::KernelContext& context);

}  // namespace tern::cuda::device
