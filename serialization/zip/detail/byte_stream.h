#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/little_endian.h>
#include <tern/serialization/zip/detail/inflate.h>

namespace tern::detail {

/// Reads the bytes of a file, or of an entry of an archive, in order.
class ByteStream {
 public:
  /// Reads the file from `offset` to its end.
  ByteStream(const InputFile& file, std::uint64_t offset);
  /// Reads an entry and unpacks it. The entry must outlive this object. Error texts have `note`
  /// after the name of the entry.
  ByteStream(const InputFile& file, const ZipEntry& entry, std::string note = {});

  /// Returns the number of bytes that are not yet read.
  std::uint64_t remaining() const { return unfetched_ + buffer_.size() - next_; }
  /// Reads `count` bytes. Throws FileError if fewer bytes remain.
  void read(void* to, std::size_t count);
  template <class T>
  T number() {
    char bytes[sizeof(T)];
    read(bytes, sizeof bytes);
    return load_little<T>(bytes);
  }
  /// Returns the next `count` bytes. Allocates them only after checking that so many bytes remain.
  std::string text(std::uint64_t count);
  /// Reads `count` bytes and drops them.
  void skip(std::uint64_t count);
  /// Throws FileError if the unpacked size is more than 64 times the size in the file. For entries
  /// that become values of a State, which take more memory than their text.
  void refuse_expansion() const;
  /// Ends the reading. Throws FileError if bytes remain or the checksum differs.
  void finish();

  /// Throws FileError with the path, the name of the entry, if any, and the parts.
  template <class... Parts>
  [[noreturn]] __attribute__((noinline, cold)) void fail(const Parts&... parts) const {
    raise<FileError>("load: '", file_.path(), entry_ ? "': entry '" : "",
                     entry_ ? std::string_view(entry_->name) : "", "': ", note_, parts...);
  }

 private:
  void check_room(std::uint64_t count) const;
  void fetch(char* to, std::size_t count);

  const InputFile& file_;
  const ZipEntry* entry_ = nullptr;
  std::string note_;
  std::optional<Inflater> inflater_;
  std::uint64_t offset_, unfetched_;
  std::uint32_t crc_ = 0;
  std::vector<char> buffer_;
  std::size_t next_ = 0;  // index in buffer_
};

}  // namespace tern::detail
