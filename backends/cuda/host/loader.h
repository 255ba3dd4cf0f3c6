#pragma once

#include <string>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/kernels/plugin.h>

// Opens the plugin library at the first use of CUDA. The library is never closed.

namespace tern::cuda::detail {

/// The settings in the environment.
struct LoadRequest {
  bool disabled = false;  // TERN_CUDA=0
  int simulated = 0;      // TERN_SIMULATE_CUDA: number of simulated devices; 0: real devices
};

/// Reads the environment. Throws DeviceError unless TERN_SIMULATE_CUDA is a number from 1 to 16 and
/// TERN_CUDA is 0 or 1.
TERN_API LoadRequest request_from_environment();

/// An open plugin, or the reason why there is none.
struct LoadedPlugin {
  const kernels::Plugin* plugin = nullptr;
  std::string reason;
};

/// Opens the library for `request`, from the first of `folders` that contains it.
TERN_API LoadedPlugin load_plugin(const LoadRequest& request,
                                  const std::vector<std::string>& folders);

/// Returns why this libtern cannot use a plugin, or an empty string.
TERN_API std::string refusal(const kernels::Plugin& plugin);

/// Returns the plugin of this process, loaded by the first call. Does not start the driver: for
/// asking whether there is a plugin and how many devices. Throws as request_from_environment does.
TERN_API const LoadedPlugin& loaded_plugin();

/// Returns the plugin for using devices; from here on a forked child cannot use CUDA. Throws
/// DeviceError with the reason if there is no plugin.
TERN_API const kernels::Plugin& plugin();
/// Returns true if plugin() was called.
bool has_started();

}  // namespace tern::cuda::detail
