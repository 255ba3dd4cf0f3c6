#pragma once

#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

using namespace kernels;

// The CUDA kernel of each slot; core/kernels/args.h says what it does. Each queues its work on the
// stream of the context, whose device is current, and reports kUnsupportedDtype for a dtype that
// it has no kernel for.
#define TERN_SLOT(name, Args) void name(const Args& args, KernelContext& context);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT

}  // namespace tern::cuda::device
