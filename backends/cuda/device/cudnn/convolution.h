#pragma once

#include <tern/core/kernels/families/convolution.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// Queues a convolution, without its bias, through cuDNN. Returns false if there is no cuDNN, it
/// cannot compute this one, or there is no memory for its workspace; nothing is queued then.
/// Failures are reported in the context.
bool convolve(const ConvolutionArgs& args, KernelContext& context);

}  // namespace tern::cuda::device::cudnn
