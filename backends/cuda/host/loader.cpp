#include <tern/backends/cuda/host/loader.h>

#include <pthread.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <tern/backends/cuda/host/plugin_host.h>
#include <tern/core/base/detail/plugin_library.h>
#include <tern/core/base/error.h>

namespace tern::cuda::detail {
namespace {

constexpr int kMostSimulated = 16;

// Set by the first use of a device. From then on the driver has state that does not survive a fork.
constinit std::atomic<bool> started = false;
// Set in a child of a process that had started CUDA.
constinit std::atomic<bool> is_forked_child = false;
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, [] {
  if (started) is_forked_child = true;
});

}  // namespace

LoadRequest request_from_environment() {
  LoadRequest request;
  if (const char* value = std::getenv("TERN_CUDA"); value != nullptr && *value != '\0') {
    const std::string_view text = value;
    TERN_CHECK(text == "0" || text == "1", DeviceError, "TERN_CUDA must be 0 or 1, got '", text,
               "'");
    request.disabled = text == "0";
  }
  if (const char* value = std::getenv("TERN_SIMULATE_CUDA"); value != nullptr && *value != '\0') {
    const char* end = value + std::strlen(value);
    const auto [stop, error] = std::from_chars(value, end, request.simulated);
    TERN_CHECK(error == std::errc() && stop == end && request.simulated >= 1 &&
                   request.simulated <= kMostSimulated,
               DeviceError, "TERN_SIMULATE_CUDA must be a number of devices from 1 to ",
               kMostSimulated, ", got '", value, "'");
  }
  return request;
}

std::string refusal(const kernels::Plugin& plugin) {
  if (plugin.build_id != kernels::plugin_build_id()) {
    return "it was built for another build of tern; build both together";
  }
  if (plugin.unavailable_reason != nullptr) return plugin.unavailable_reason;
  return plugin.device_count > 0 ? "" : "No CUDA GPUs are available";
}

LoadedPlugin load_plugin(const LoadRequest& request, const std::vector<std::string>& folders) {
  if (request.disabled) return {nullptr, "TERN_CUDA=0 switches it off"};
  const char* const name = request.simulated > 0 ? "libtern_sim.so" : "libtern_cuda.so";
  const tern::detail::PluginLibrary library =
      tern::detail::open_plugin_library(name, kernels::kPluginEntryName, folders);
  if (library.entry == nullptr) {
    const bool is_hint = library.path.empty() && request.simulated == 0;
    return {nullptr,
            library.reason + (is_hint ? " (TERN_SIMULATE_CUDA=2 simulates two devices)" : "")};
  }
  // Static, because the plugin stores the address.
  static kernels::PluginHost host;
  host = plugin_host(request.simulated);
  const kernels::Plugin* plugin = reinterpret_cast<kernels::PluginEntry>(library.entry)(&host);
  const std::string reason = refusal(*plugin);
  if (!reason.empty()) return {nullptr, library.path + ": " + reason};
  return {plugin, ""};
}

const LoadedPlugin& loaded_plugin() {
  // Never destroyed: static tensors may free their memory when the program ends.
  static const LoadedPlugin& loaded = []() -> const LoadedPlugin& {
    const auto& opened =
        *new LoadedPlugin(load_plugin(request_from_environment(), tern::detail::plugin_folders()));
    if (opened.plugin != nullptr && opened.plugin->driver_started != 0) started = true;
    return opened;
  }();
  static const LoadedPlugin& in_child = *new LoadedPlugin{
      nullptr,
      "Cannot re-initialize CUDA in forked subprocess: its parent had started CUDA. Start "
      "subprocesses before the first use of CUDA, or as programs of their own"};
  return loaded.plugin != nullptr && is_forked_child.load(std::memory_order_relaxed) ? in_child
                                                                                     : loaded;
}

const kernels::Plugin& plugin() {
  const LoadedPlugin& loaded = loaded_plugin();
  TERN_CHECK(loaded.plugin != nullptr, DeviceError, "CUDA is not available: ", loaded.reason);
  if (!started.load(std::memory_order_relaxed)) started.store(true, std::memory_order_relaxed);
  return *loaded.plugin;
}

bool has_started() { return started.load(std::memory_order_relaxed); }

}  // namespace tern::cuda::detail
