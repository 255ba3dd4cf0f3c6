#include <tern/backends/cuda/device/cudnn/recurrent.h>
#include <tern/backends/cuda/device/families.h>

// Only cuDNN computes whole layers.

namespace tern::cuda::device {

void register_recurrent_layer(kernels::KernelTable& table) {
  kernels::set<kernels::RecurrentLayerArgs, cudnn::run_recurrent_layer>(table);
}

}  // namespace tern::cuda::device
