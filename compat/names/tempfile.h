#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tern/core/base/error.h>

namespace tern::compat {

/// A file that the destructor closes and removes.
struct TempFile {
  TempFile() = default;
  /// Takes over a file.
  TempFile(std::string file_name, int descriptor) : fd(descriptor), name(std::move(file_name)) {}
  /// Takes over a file.
  TempFile(TempFile&& other) noexcept
      : fd(std::exchange(other.fd, -1)), name(std::exchange(other.name, {})) {}
  /// Exchanges the two.
  TempFile& operator=(TempFile&& other) noexcept {
    std::swap(fd, other.fd);
    std::swap(name, other.name);
    return *this;
  }
  ~TempFile() {
    if (fd < 0) return;
    unlink(name.c_str());
    close(fd);
  }
  /// Returns the descriptor, which stays open.
  int open() const { return fd; }

  /// The descriptor; -1 for none.
  int fd = -1;
  /// The path.
  std::string name;
};

/// A directory that the destructor removes. It must be empty by then.
struct TempDir {
  TempDir() = default;
  /// Takes over a directory.
  explicit TempDir(std::string directory_name) : name(std::move(directory_name)) {}
  /// Takes over a directory.
  TempDir(TempDir&& other) noexcept : name(std::exchange(other.name, {})) {}
  /// Exchanges the two.
  TempDir& operator=(TempDir&& other) noexcept {
    std::swap(name, other.name);
    return *this;
  }
  ~TempDir() {
    if (!name.empty()) rmdir(name.c_str());
  }

  /// The path.
  std::string name;
};

/// Returns a path for mkstemp() in the directory of temporary files.
inline std::string temporary_path(const std::string& prefix) {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
    if (const char* directory = std::getenv(variable)) {
      return std::string(directory) + '/' + prefix + "XXXXXX";
    }
  }
  return "/tmp/" + prefix + "XXXXXX";
}

}  // namespace tern::compat

namespace c10 {

using ::tern::compat::TempDir;
using ::tern::compat::TempFile;
/// Makes a temporary file, or returns nothing.
inline std::optional<TempFile> try_make_tempfile(std::string_view name_prefix = "torch-file-") {
  std::string path = ::tern::compat::temporary_path(std::string(name_prefix));
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return std::nullopt;
  return TempFile(std::move(path), descriptor);
}
/// Makes a temporary file. Throws Error if that fails.
inline TempFile make_tempfile(std::string_view name_prefix = "torch-file-") {
  if (auto file = try_make_tempfile(name_prefix)) return std::move(*file);
  ::tern::detail::raise<::tern::Error>("Error generating temporary file");
}
/// Makes a temporary directory, or returns nothing.
inline std::optional<TempDir> try_make_tempdir(std::string_view name_prefix = "torch-dir-") {
  std::string path = ::tern::compat::temporary_path(std::string(name_prefix));
  if (mkdtemp(path.data()) == nullptr) return std::nullopt;
  return TempDir(std::move(path));
}
/// Makes a temporary directory. Throws Error if that fails.
inline TempDir make_tempdir(std::string_view name_prefix = "torch-dir-") {
  if (auto directory = try_make_tempdir(name_prefix)) return std::move(*directory);
  ::tern::detail::raise<::tern::Error>("Error generating temporary directory");
}

}  // namespace c10
