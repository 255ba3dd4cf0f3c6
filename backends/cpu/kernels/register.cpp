#include <tern/backends/cpu/kernels/kernels.h>

#define TERN_JOIN_(a, b) a##b
#define TERN_JOIN(a, b) TERN_JOIN_(a, b)

/// Fills `table` with the kernels of this instruction set.
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_SET)(tern::kernels::KernelTable* table) {
  using namespace tern;
#define TERN_SLOT(name, Args) kernels::set<kernels::Args, cpu::name>(*table);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
}
