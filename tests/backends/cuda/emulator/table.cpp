#include <backends/cuda/emulator/kernels.h>

#include <tern/backends/sim/kernels/kernels.h>

// The simulator that runs CUDA's kernels in the place of its own.

namespace tern::sim {

const KernelTable& kernel_table() {
  static const KernelTable table = [] {
    KernelTable kernels;
    emulator::cuda_kernels().register_kernels(&kernels);
    return kernels;
  }();
  return table;
}

}  // namespace tern::sim
