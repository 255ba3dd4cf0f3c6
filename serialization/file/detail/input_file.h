#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tern::detail {

/// A regular file that is open for reading, or bytes that a function reads. Errors are FileError
/// and name the path.
class InputFile {
 public:
  /// Reads `count` bytes at `offset` and returns how many there were, 0 at the end.
  using Read = std::function<std::size_t(std::uint64_t offset, void* to, std::size_t count)>;

  /// Opens `path`. Throws if the file is missing, unreadable or not a regular file.
  explicit InputFile(std::string path);
  /// Reads `size` bytes with `read`. Error texts have `name` where a file has its path.
  InputFile(std::string name, std::uint64_t size, Read read);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  /// The file's descriptor, open as long as this object lives; -1 for a function.
  int descriptor() const { return file_; }
  /// The size in bytes at the time of opening.
  std::uint64_t size() const { return size_; }
  /// Returns the first bytes, at most `count`.
  std::string head(std::size_t count) const;
  /// Reads `count` bytes at `offset`. Throws if the file ends before them.
  void read(std::uint64_t offset, void* to, std::size_t count) const;

 private:
  std::size_t read_part(std::uint64_t offset, char* to, std::size_t count) const;

  std::string path_;
  Read read_;  // empty for a file
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tern::detail
