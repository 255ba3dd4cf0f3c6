#pragma once

#include <tern/core/kernels/plugin.h>

namespace tern::cuda::detail {

/// Returns the functions that libtern offers to its plugin. The simulator makes
/// `simulated_devices`.
TERN_API kernels::PluginHost plugin_host(int simulated_devices);

}  // namespace tern::cuda::detail
