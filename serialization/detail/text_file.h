#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <tern/core/base/error.h>
#include <tern/serialization/detail/input_file.h>

namespace tern::detail {

/// A file read into memory as it is, followed by a NUL; its errors say where they are.
class TextFile {
 public:
  /// Reads the whole file. Throws FileError, and OutOfMemoryError when it does not fit.
  explicit TextFile(const InputFile& file);

  const std::string& path() const { return path_; }
  const char* begin() const { return bytes_.get(); }
  const char* end() const { return bytes_.get() + size_; }
  std::string_view text() const { return {bytes_.get(), size_}; }

  /// Throws FileError: path, line and column of `at`, then the parts.
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const char* at,
                                                         const Parts&... parts) const {
    raise<FileError>(place(at), ": ", parts...);
  }

 private:
  std::string place(const char* at) const;

  std::string path_;
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace tern::detail
