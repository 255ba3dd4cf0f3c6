#include <tern/core/base/detail/plugin_library.h>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <tern/core/base/text.h>
#include <tern/core/base/version.h>

namespace tern::detail {
namespace {

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
  return text_of(libtern, "/tern-", TERN_VERSION_MAJOR, '.', TERN_VERSION_MINOR);
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

}  // namespace

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

PluginLibrary open_plugin_library(const std::string& name, const char* entry,
                                  const std::vector<std::string>& folders) {
  PluginLibrary library;
  for (const std::string& folder : folders) {
    const std::string path = text_of(folder, '/', name);
    if (access(path.c_str(), F_OK) == 0) {
      library.path = path;
      break;
    }
  }
  if (library.path.empty()) {
    library.reason = name + " was not found in " + list_of(folders);
  } else if (!is_whole(library.path)) {
    library.reason = library.path + " cannot be loaded: the file is cut off";
  } else if (void* const opened = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    library.entry = dlsym(opened, entry);
    if (library.entry == nullptr) {
      library.reason = library.path + " is not a plugin of tern: " + dlerror();
    }
  } else {
    library.reason = library.path + " cannot be loaded: " + dlerror();
  }
  return library;
}

}  // namespace tern::detail
