#pragma once

#include <tern/core/kernels/slots.h>
#include <tern/generated/kernel_families.h>

// The oracle: kernels that are written to be read. Plain loops compute every element in double (or
// in int64 for int64 and bool), reductions in long double, and round to the dtype when they store
// the result. The oracle shares no formula with the kernels of the CPU and of CUDA, which are
// compared with it, except for the update rules of the optimizers, which tests compare with
// PyTorch's numbers. All pointers are kernel-side addresses of device memory, or of host memory in
// the tests of kernels. The file of each family defines register_<family>.

namespace tern::sim {

using namespace kernels;

/// The kernels and, for each slot, a function that tells whether the kernel supports the dtypes of
/// a call. This function is asked when a kernel is launched.
struct OracleTable {
  KernelTable kernels;
  bool (*supports[kSlots])(const void* args) = {};
};

/// Puts a kernel and its supports() function into their slot.
template <class Args, bool (*supports)(const Args&), void (*kernel)(const Args&, KernelContext&)>
void set(OracleTable& table) {
  kernels::set<Args, kernel>(table.kernels);
  table.supports[static_cast<std::size_t>(SlotOf<Args>::slot)] = [](const void* args) {
    return supports(*static_cast<const Args*>(args));
  };
}

#define TERN_FAMILY(name) void register_##name(OracleTable& table);
#include <tern/generated/sim_families.def>
#undef TERN_FAMILY

/// Returns the kernels of all families.
inline OracleTable make_oracle() {
  OracleTable table;
#define TERN_FAMILY(name) register_##name(table);
#include <tern/generated/sim_families.def>
#undef TERN_FAMILY
  return table;
}

/// Returns the kernels that launches run.
const OracleTable& kernel_table();

}  // namespace tern::sim
