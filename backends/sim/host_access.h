#pragma once

namespace tern::sim {

/// Installs the handler that tells the story when the host touches memory of a simulated device,
/// and then lets the program die of SIGSEGV. Other faults go to the handler that was there before.
void watch_host_accesses();

}  // namespace tern::sim
