#include <backends/cuda/emulator/kernels.h>

#include <tern/backends/sim/kernels/kernels.h>

// The simulator with CUDA's kernels instead of its own.

namespace tern::sim {

const OracleTable& kernel_table() {
  static const OracleTable table = [] {
    OracleTable oracle = make_oracle();
    oracle.kernels = {};
    emulator::cuda_kernels().register_kernels(&oracle.kernels);
    return oracle;
  }();
  return table;
}

}  // namespace tern::sim
