#pragma once

namespace tern::sim {

/// Installs a SIGSEGV handler that explains an access of the host to memory of a simulated device
/// and then lets the program die of SIGSEGV. Other faults go to the previous handler.
void watch_host_accesses();

}  // namespace tern::sim
