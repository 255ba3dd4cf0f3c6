#pragma once

#include <tern/core/kernels/slots.h>

namespace tern::sim {

/// Returns the table of launch functions. Each checks dtype, stream and operands, and queues the
/// kernel of kernels/kernels.h with a copy of its arguments.
kernels::KernelTable launch_table();

}  // namespace tern::sim
