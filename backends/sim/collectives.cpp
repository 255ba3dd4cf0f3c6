#include <cstdio>

#include <tern/backends/sim/calls.h>

// Simulated devices have no NCCL: their tensors go over host memory, by NCCL's rules.

namespace tern::sim {

std::int32_t has_collectives(PluginStatus* status) {
  status->code = StatusCode::kDeviceFault;
  std::snprintf(status->message, sizeof(status->message), "simulated devices have no NCCL");
  return 0;
}
void collective_id(CollectiveId*, PluginStatus* status) { has_collectives(status); }
void* collective_connect(std::int32_t, const CollectiveId*, std::int32_t, std::int32_t, double,
                         PluginStatus* status) {
  has_collectives(status);
  return nullptr;
}
void collective_run(void*, const Collective*, void*, PluginStatus* status) {
  has_collectives(status);
}
void collective_disconnect(void*) {}

}  // namespace tern::sim
