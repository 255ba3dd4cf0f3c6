#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tern::detail {

/// A regular file that is open for reading. All errors are FileError and name the path.
class InputFile {
 public:
  /// Throws for what is missing, unreadable or no regular file.
  explicit InputFile(std::string path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  /// The file's descriptor, open as long as this object lives.
  int descriptor() const { return file_; }
  /// In bytes, when the file was opened.
  std::uint64_t size() const { return size_; }
  /// The first bytes, at most `count`.
  std::string head(std::size_t count) const;
  /// Reads `count` bytes that stand at `offset`. Throws when the file ends before.
  void read(std::uint64_t offset, void* to, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace tern::detail
