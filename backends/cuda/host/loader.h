#pragma once

#include <string>
#include <vector>

#include <tern/core/base/visibility.h>
#include <tern/core/kernels/plugin.h>

// Opening the library behind CUDA: at the first use, never closed again.

namespace tern::cuda::detail {

/// What the environment asks for.
struct LoadRequest {
  bool disabled = false;  // TERN_CUDA=0
  int simulated = 0;      // TERN_SIMULATE_CUDA: how many simulated devices; 0: real ones
};

/// Reads the environment. Throws DeviceError for a TERN_SIMULATE_CUDA that is no number from 1 to
/// 16, or a TERN_CUDA that is neither 0 nor 1.
TERN_API LoadRequest request_from_environment();

/// An open plugin, or why there is none.
struct LoadedPlugin {
  const kernels::Plugin* plugin = nullptr;
  std::string reason;
};

/// Opens the library that `request` needs in the first of `folders` that has it.
TERN_API LoadedPlugin load_plugin(const LoadRequest& request,
                                  const std::vector<std::string>& folders);

/// Where plugins are looked for: in TERN_PLUGIN_PATH, if that is set, beside libtern, beside the
/// program, and in ../lib of the program.
TERN_API std::vector<std::string> plugin_folders();

/// Why this libtern cannot use a plugin, or an empty text.
TERN_API std::string refusal(const kernels::Plugin& plugin);

/// The plugin of this process, loaded by the first call, for what starts no driver: is there one,
/// and how many devices. Throws as request_from_environment does.
TERN_API const LoadedPlugin& loaded_plugin();

/// The plugin, for more than counting devices: from here on a forked child cannot use CUDA. Throws
/// DeviceError with the reason when there is none.
TERN_API const kernels::Plugin& plugin();
/// Whether plugin() was called.
bool has_started();

}  // namespace tern::cuda::detail
