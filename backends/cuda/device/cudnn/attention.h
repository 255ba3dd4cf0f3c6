#pragma once

#include <tern/core/kernels/families/attention.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// Queues an attention, or its gradients, through cuDNN. Returns false if there is no cuDNN, it
/// cannot compute this one, or there is no memory for it; nothing that changes a result is queued
/// then. Failures are reported in the context.
bool attend(const AttentionArgs& args, KernelContext& context);

}  // namespace tern::cuda::device::cudnn
