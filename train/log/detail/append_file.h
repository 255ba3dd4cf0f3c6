#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tern::train::detail {

/// A file that grows at its end. Errors are FileError with the path and the system's reason, and
/// begin with the name of the user's class.
class AppendFile {
 public:
  /// Opens an existing or a new file; with `must_be_new` the file must not exist.
  AppendFile(const char* user, std::string path, bool must_be_new);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  const std::string& path() const { return path_; }
  /// Appends all bytes. After an error the file has its old length again.
  void append(std::string_view bytes);
  /// Cuts the file off at `size` bytes.
  void truncate(std::uint64_t size);
  /// Waits until the content is on the disk.
  void sync();

 private:
  [[noreturn]] void fail(const char* step, int error) const;

  const char* user_;
  std::string path_;
  int file_ = -1;
};

}  // namespace tern::train::detail
