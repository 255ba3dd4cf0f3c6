#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// A private mapping of a whole file. Pages are read when they are first touched; writes to them
/// change only the memory of this process.
class MappedFile {
 public:
  /// Throws FileError if the file cannot be mapped or has become shorter. With `read_ahead`, a
  /// thread reads the file into the cache of the system, from its begin to its end.
  explicit MappedFile(const InputFile& file, bool read_ahead = false);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  char* data() const { return data_; }
  /// Keeps the pages of a byte range out of the memory of the process until they are touched
  /// themselves. Otherwise the system also maps up to 2 MB around a page that is touched.
  void set_apart(std::uint64_t begin, std::uint64_t end) const;

 private:
  void start_reading(int descriptor);

  char* data_ = nullptr;
  std::size_t size_;
  std::thread reader_;
  std::atomic<bool> is_stopped_ = false;
  pid_t process_ = 0;  // that has the thread
};

}  // namespace tern::detail
