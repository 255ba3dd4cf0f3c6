#pragma once

#include <tern/core/kernels/families/copy.h>

namespace tern::cuda::device {

/// Queues the kernel of the `copy` slot.
void copy(const kernels::CopyArgs& args, kernels::KernelContext& context);

}  // namespace tern::cuda::device
