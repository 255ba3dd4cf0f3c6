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

/// The bytes of a file, or of an entry of an archive, in order.
class ByteStream {
 public:
  /// A part of the file, to its end, as it is.
  ByteStream(const InputFile& file, std::uint64_t offset);
  /// An entry, which must outlive this object, unpacked. `note` is for errors, behind its name.
  ByteStream(const InputFile& file, const ZipEntry& entry, std::string note = {});

  /// How many bytes are to come.
  std::uint64_t remaining() const { return unfetched_ + buffer_.size() - next_; }
  /// Throws FileError when fewer than `count` bytes are to come.
  void read(void* to, std::size_t count);
  template <class T>
  T number() {
    char bytes[sizeof(T)];
    read(bytes, sizeof bytes);
    return load_little<T>(bytes);
  }
  /// `count` bytes; nothing is allocated before they are known to be there.
  std::string text(std::uint64_t count);
  /// Throws FileError when the entry unpacks to very many times its size in the file: for what
  /// becomes values, which take more memory than their text.
  void refuse_expansion() const;
  /// To be called when all is read: throws FileError when more is to come or the checksum differs.
  void finish();

  /// Throws FileError: the path, the entry if there is one, then the parts.
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
  std::size_t next_ = 0;  // in buffer_
};

}  // namespace tern::detail
