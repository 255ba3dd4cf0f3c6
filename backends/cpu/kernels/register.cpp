#include <tern/core/kernels/slots.h>

// Registers the CPU kernels. Everything in this folder is compiled once per instruction set; the
// function below is the only symbol that such an object exports. The file of each family defines
// register_<family>, which puts the family's kernels into their slots.

#define TERN_JOIN_(a, b) a##b
#define TERN_JOIN(a, b) TERN_JOIN_(a, b)

namespace tern::cpu {

#define TERN_FAMILY(name) void register_##name(kernels::KernelTable& table);
#include <tern/generated/cpu_families.def>
#undef TERN_FAMILY

}  // namespace tern::cpu

#ifdef TERN_CPU_BASE_SET
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(tern::kernels::KernelTable* table);
#endif

#ifdef TERN_CPU_LINALG_SET
extern "C" void TERN_JOIN(tern_cpu_register_,
                          TERN_CPU_LINALG_SET)(tern::kernels::KernelTable* table);

namespace tern::cpu {

// This set has no linalg.cpp (cmake/cpu_sets.cmake), but the kernel of another set.
void register_linalg(kernels::KernelTable& table) {
  kernels::KernelTable others;
  TERN_JOIN(tern_cpu_register_, TERN_CPU_LINALG_SET)(&others);
  table[kernels::Slot::linalg] = others[kernels::Slot::linalg];
}

}  // namespace tern::cpu
#endif

/// Fills `table` with the kernels of this instruction set. A set with a base set takes all kernels
/// of the base set except the matrix product.
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_SET)(tern::kernels::KernelTable* table) {
#ifdef TERN_CPU_BASE_SET
  TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(table);
  tern::cpu::register_gemm(*table);
#else
#define TERN_FAMILY(name) tern::cpu::register_##name(*table);
#include <tern/generated/cpu_families.def>
#undef TERN_FAMILY
#endif
}
