#pragma once

#include <tern/core/kernels/slots.h>

namespace tern::cuda::device {

// The file of each family defines register_<family>, which puts the family's kernels into their
// slots. A kernel queues its work on the stream of the context, whose device is current, and
// reports kUnsupportedDtype for a dtype that it does not implement.
#define TERN_FAMILY(name) void register_##name(kernels::KernelTable& table);
#include <tern/generated/cuda_families.def>
#undef TERN_FAMILY

/// Fills `table` with the kernels of all families.
inline void register_families(kernels::KernelTable& table) {
#define TERN_FAMILY(name) register_##name(table);
#include <tern/generated/cuda_families.def>
#undef TERN_FAMILY
}

}  // namespace tern::cuda::device
