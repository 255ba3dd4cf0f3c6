#pragma once

#include <string>
#include <vector>

#include <tern/core/base/visibility.h>

// Libraries that libtern opens at run time, and never closes.

namespace tern::detail {

/// Returns the folders that are searched for plugins: TERN_PLUGIN_PATH if set, the folder of
/// libtern, tern-<major>.<minor> in that folder, the folder of the program, and its ../lib.
TERN_API std::vector<std::string> plugin_folders();

/// An open plugin, or the reason why there is none.
struct PluginLibrary {
  std::string path;  // empty if no folder has it
  void* entry = nullptr;
  std::string reason;
};

/// Opens the library `name` in the first of `folders` that contains it, and looks up the symbol
/// `entry`.
TERN_API PluginLibrary open_plugin_library(const std::string& name, const char* entry,
                                           const std::vector<std::string>& folders);

}  // namespace tern::detail
