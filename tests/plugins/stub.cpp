#include <tern/core/base/visibility.h>
#include <tern/core/kernels/plugin.h>

// Plugins that cannot be used: compiled with TERN_STUB_BUILD (added to the build id) or
// TERN_STUB_REASON, or with neither: then it has no device.

namespace {

using tern::kernels::Plugin;

Plugin make_plugin() {
  Plugin plugin{};
  plugin.build_id = tern::kernels::plugin_build_id() + TERN_STUB_BUILD;
  plugin.unavailable_reason = TERN_STUB_REASON;
  plugin.name = "stub";
  return plugin;
}

}  // namespace

extern "C" TERN_API const Plugin* tern_plugin_entry(const tern::kernels::PluginHost*) {
  static const Plugin plugin = make_plugin();
  return &plugin;
}
