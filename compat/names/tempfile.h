#pragma once

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tern/core/base/visibility.h>

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

/// Makes a temporary file, or returns nothing.
TERN_API std::optional<TempFile> try_make_tempfile(std::string_view name_prefix = "torch-file-");
/// Makes a temporary file. Throws Error if that fails.
TERN_API TempFile make_tempfile(std::string_view name_prefix = "torch-file-");
/// Makes a temporary directory, or returns nothing.
TERN_API std::optional<TempDir> try_make_tempdir(std::string_view name_prefix = "torch-dir-");
/// Makes a temporary directory. Throws Error if that fails.
TERN_API TempDir make_tempdir(std::string_view name_prefix = "torch-dir-");

}  // namespace tern::compat

namespace c10 {
using ::tern::compat::make_tempdir;
using ::tern::compat::make_tempfile;
using ::tern::compat::TempDir;
using ::tern::compat::TempFile;
using ::tern::compat::try_make_tempdir;
using ::tern::compat::try_make_tempfile;
}  // namespace c10
