#include <tern/backends/cpu/kernels/kernels.h>

#define TERN_JOIN_(a, b) a##b
#define TERN_JOIN(a, b) TERN_JOIN_(a, b)

#ifdef TERN_CPU_BASE_SET
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(tern::kernels::KernelTable* table);
#endif

/// Fills `table` with the kernels of this instruction set. One with a base set has that one's
/// kernels but for the matrix product.
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_SET)(tern::kernels::KernelTable* table) {
  using namespace tern;
#ifdef TERN_CPU_BASE_SET
  TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(table);
  kernels::set<kernels::GemmArgs, cpu::gemm>(*table);
#else
#define TERN_SLOT(name, Args) kernels::set<kernels::Args, cpu::name>(*table);
#include <tern/core/kernels/slots.def>
#undef TERN_SLOT
#endif
}
