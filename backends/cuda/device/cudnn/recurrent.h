#pragma once

#include <tern/core/kernels/families/recurrent_layer.h>
#include <tern/core/kernels/slots.h>

namespace tern::cuda::device::cudnn {

using namespace kernels;

/// Answers a question, or queues a layer or its gradients, as RecurrentLayerArgs says.
void run_recurrent_layer(const RecurrentLayerArgs& args, KernelContext& context);

}  // namespace tern::cuda::device::cudnn
