#include <tern/backends/cuda/host/loader.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <tern/backends/cuda/host/plugin_host.h>
#include <tern/core/base/error.h>
#include <tern/core/base/version.h>

namespace tern::cuda::detail {
namespace {

constexpr int kMostSimulated = 16;

// Set by the first use of a device. From then on the driver has state that does not survive a fork.
constinit std::atomic<bool> started = false;
// Set in a child of a process that had started CUDA.
constinit std::atomic<bool> is_forked_child = false;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string folder_of_libtern() {
  Dl_info info{};
  const bool found = dladdr(reinterpret_cast<const void*>(&plugin_folders), &info) != 0;
  return found && info.dli_fname != nullptr ? folder_of(info.dli_fname) : "";
}

// Debian's packages of two versions can be installed together. So the plugins, whose names have no
// version, are in a folder whose name has the numbers of libtern's soname.
std::string versioned_folder_beside(const std::string& libtern) {
  return tern::detail::text_of(libtern, "/tern-", TERN_VERSION_MAJOR, '.', TERN_VERSION_MINOR);
}

std::string folder_of_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return length > 0 ? folder_of(std::string(path, static_cast<std::size_t>(length))) : "";
}

std::string list_of(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

// Returns true if the file contains all segments that dlopen would map. dlopen reads beyond the end
// of a truncated library, which kills the program.
bool is_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
  const auto read = [&](std::uint64_t offset, auto& part) {
    file.seekg(static_cast<std::streamoff>(offset));
    return static_cast<bool>(file.read(reinterpret_cast<char*>(&part), sizeof(part)));
  };
  ElfW(Ehdr) header{};
  if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return size > sizeof(header);  // not ELF: dlopen reports what is wrong
  }
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    if (!read(header.e_phoff + i * header.e_phentsize, segment)) return false;
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return false;
  }
  return true;
}

LoadedPlugin open_plugin(const std::string& path, const LoadRequest& request) {
  if (!is_whole(path)) return {nullptr, path + " cannot be loaded: the file is cut off"};
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, path + " cannot be loaded: " + dlerror()};
  void* symbol = dlsym(library, kernels::kPluginEntryName);
  if (symbol == nullptr) return {nullptr, path + " is not a plugin of tern: " + dlerror()};
  // Static, because the plugin stores the address.
  static kernels::PluginHost host;
  host = plugin_host(request.simulated);
  const kernels::Plugin* plugin = reinterpret_cast<kernels::PluginEntry>(symbol)(&host);
  const std::string reason = refusal(*plugin);
  if (!reason.empty()) return {nullptr, path + ": " + reason};
  return {plugin, ""};
}

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

std::vector<std::string> plugin_folders() {
  std::vector<std::string> folders;
  const std::string libtern = folder_of_libtern();
  const std::string program = folder_of_program();
  const char* wanted = std::getenv("TERN_PLUGIN_PATH");
  for (const std::string& folder :
       {std::string(wanted != nullptr ? wanted : ""), libtern,
        libtern.empty() ? libtern : versioned_folder_beside(libtern), program,
        program.empty() ? program : folder_of(program) + "/lib"}) {
    bool known = folder.empty();
    for (const std::string& other : folders) known = known || other == folder;
    if (!known) folders.push_back(folder);
  }
  return folders;
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
  const std::string name = request.simulated > 0 ? "libtern_sim.so" : "libtern_cuda.so";
  for (const std::string& folder : folders) {
    const std::string path = tern::detail::text_of(folder, '/', name);
    if (access(path.c_str(), F_OK) == 0) return open_plugin(path, request);
  }
  return {nullptr,
          name + " was not found in " + list_of(folders) +
              (request.simulated > 0 ? "" : " (TERN_SIMULATE_CUDA=2 simulates two devices)")};
}

const LoadedPlugin& loaded_plugin() {
  // Never destroyed: static tensors may free their memory when the program ends.
  static const LoadedPlugin& loaded = []() -> const LoadedPlugin& {
    const auto& opened =
        *new LoadedPlugin(load_plugin(request_from_environment(), plugin_folders()));
    if (opened.plugin != nullptr && opened.plugin->driver_started != 0) started = true;
    return opened;
  }();
  static const LoadedPlugin& in_child = *new LoadedPlugin{
      nullptr,
      "Cannot re-initialize CUDA in forked subprocess: its parent had started CUDA. Start "
      "subprocesses before the first use of CUDA, or as programs of their own"};
  [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, [] {
    if (started) is_forked_child = true;
  });
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
