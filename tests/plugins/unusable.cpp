#include <tern/core/base/visibility.h>
#include <tern/core/kernels/plugin.h>

// Plugins that cannot be used: compiled with TERN_PLUGIN_BUILD (added to the build id) or
// TERN_PLUGIN_REASON, or with neither: then it has no device.

namespace {

using tern::kernels::Plugin;

Plugin make_plugin() {
  Plugin plugin{};
  plugin.build_id = tern::kernels::plugin_build_id() + TERN_PLUGIN_BUILD;
  plugin.unavailable_reason = TERN_PLUGIN_REASON;
  plugin.name = "unusable";
  return plugin;
}

}  // namespace

extern "C" TERN_API const Plugin* tern_plugin_entry(const tern::kernels::PluginHost*) {
  static const Plugin plugin = make_plugin();
  return &plugin;
}
