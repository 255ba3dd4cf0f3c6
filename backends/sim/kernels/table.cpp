#include <tern/backends/sim/kernels/kernels.h>

// In its own file, so that a build can replace it to launch other kernels than the oracle's.

namespace tern::sim {

const OracleTable& kernel_table() {
  static const OracleTable table = make_oracle();
  return table;
}

}  // namespace tern::sim
