#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::detail {

/// A regular file that is open for reading. Errors are FileError and name the path.
class InputFile {
 public:
  /// Opens `path`. Throws if the file is missing, unreadable or not a regular file.
  explicit InputFile(std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  /// The file's descriptor, open as long as this object lives.
  int descriptor() const { return file_; }
  /// The size in bytes at the time of opening.
  std::uint64_t size() const { return size_; }
  /// Returns the first bytes, at most `count`.
  std::string head(std::size_t count) const;
  /// Reads `count` bytes at `offset`. Throws if the file ends before them.
  void read(std::uint64_t offset, void* to, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tern::detail
