#pragma once

#include <tern/core/kernels/slots.h>
#include <tern/generated/kernel_families.h>

// The oracle: kernels that are written to be read. Plain loops over every element, arithmetic in
// double (or int64 for int64 and bool), rounded to the dtype when the result is stored. They share
// no formula with the CPU backend, which is compared with them, except for the update rules of the
// optimizers: tests compare those with PyTorch's numbers. All pointers are the kernels' own side of
// device memory. The file of each family defines register_<family>.

namespace tern::sim {

using namespace kernels;

/// Kernels, and for each slot whether the kernel has a form for the dtypes of a call; asked when a
/// kernel is launched.
struct OracleTable {
  KernelTable kernels;
  bool (*supports[kSlots])(const void* args) = {};
};

/// Puts a kernel and its question into their slot.
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

/// The kernels that launches run.
const OracleTable& kernel_table();

}  // namespace tern::sim
