// Instruction sets: baseline avx2 avx512 avx512_bf16 amx.

#include <tern/core/kernels/slots.h>

// Registers the CPU kernels. This folder is compiled once per instruction set, and the function
// below is the only symbol that such an object exports. The file of each family defines
// register_<family>, which puts the family's kernels into their slots. TERN_CPU_FAMILIES is a
// header that lists the families of this set.

#define TERN_JOIN_(a, b) a##b
#define TERN_JOIN(a, b) TERN_JOIN_(a, b)

namespace tern::cpu {

#define TERN_FAMILY(name) void register_##name(kernels::KernelTable& table);
#include TERN_CPU_FAMILIES
#undef TERN_FAMILY

}  // namespace tern::cpu

#ifdef TERN_CPU_BASE_SET
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(tern::kernels::KernelTable* table);
#endif

/// Fills `table` with the kernels of this instruction set, and with those of its base set, if it
/// has one, where it has none itself.
extern "C" void TERN_JOIN(tern_cpu_register_, TERN_CPU_SET)(tern::kernels::KernelTable* table) {
#ifdef TERN_CPU_BASE_SET
  TERN_JOIN(tern_cpu_register_, TERN_CPU_BASE_SET)(table);
#endif
#define TERN_FAMILY(name) tern::cpu::register_##name(*table);
#include TERN_CPU_FAMILIES
#undef TERN_FAMILY
}
