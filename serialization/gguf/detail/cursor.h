#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// Reads numbers and texts one after the other. Nothing is allocated before its size is compared
/// with the rest of the file. Errors are FileError: "load: 'x.gguf': key 'a': ...".
class GgufCursor {
 public:
  /// `file` must outlive this object. `subject` is what error texts say is read.
  GgufCursor(const InputFile& file, std::uint64_t at, std::string subject)
      : file_(file), at_(at), subject_(std::move(subject)) {}

  /// Changes what error texts say is read: "key 'a'".
  void set_subject(std::string subject) { subject_ = std::move(subject); }
  std::uint64_t position() const { return at_; }

  template <class T>
  requires std::is_arithmetic_v<T> T number() {
    T value;
    read(&value, sizeof value);
    return value;
  }
  /// Reads a text of `size` bytes.
  std::string text(std::uint64_t size);
  /// Moves on by `size` bytes.
  void skip(std::uint64_t size);
  /// Throws unless the rest of the file has `count` things of at least `size` bytes each.
  void require(std::uint64_t count, std::uint64_t size, const char* things) const;

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    raise<FileError>("load: '", file_.path(), "': ", subject_, ": ", parts...);
  }

 private:
  void read(void* to, std::size_t size);

  const InputFile& file_;
  std::uint64_t at_;
  std::string subject_;
  std::string window_;  // the bytes from window_at_ on
  std::uint64_t window_at_ = 0;
};

}  // namespace tern::detail
