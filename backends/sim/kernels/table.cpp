#include <tern/backends/sim/kernels/kernels.h>

namespace tern::sim {

const KernelTable& kernel_table() {
  static const KernelTable table = [] {
    KernelTable kernels;
#define TERN_SLOT(name, Args) set<Args, name>(kernels);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
    return kernels;
  }();
  return table;
}

}  // namespace tern::sim
