#pragma once

#include <cstdint>

#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

/// What a kernel leaves when it meets an index out of range. The first one of a device stays until
/// it is reported: by the next call that waits.
struct IndexFailure {
  std::int32_t found;  // 1 once the rest is there
  kernels::IndexOp op;
  std::int64_t index, limit;
};

/// The place for the failures of the context's device, in memory that host and device see.
IndexFailure* index_failure(kernels::KernelContext& context);

}  // namespace tern::cuda::device
