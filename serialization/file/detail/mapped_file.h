#pragma once

#include <cstddef>

#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// A private mapping of a whole file. Pages are read when they are first touched; writes to them
/// change only the memory of this process.
class MappedFile {
 public:
  /// Throws FileError if the file cannot be mapped or has become shorter.
  explicit MappedFile(const InputFile& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  char* data() const { return data_; }

 private:
  char* data_ = nullptr;
  std::size_t size_;
};

}  // namespace tern::detail
