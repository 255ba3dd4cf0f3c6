#pragma once

#include <tern/core/kernels/plugin.h>

namespace tern::cuda::detail {

/// What libtern offers to its plugin, which shall make `simulated_devices` if it is the simulator.
kernels::PluginHost plugin_host(int simulated_devices);

}  // namespace tern::cuda::detail
