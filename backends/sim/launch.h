#pragma once

#include <tern/core/kernels/slots.h>

namespace tern::sim {

/// The table of what a launch does for each slot: check dtype, stream and operands, and queue the
/// kernel of kernels/kernels.h with a copy of its arguments.
kernels::KernelTable launch_table();

}  // namespace tern::sim
