#include <tern/serialization/zip/detail/inflate.h>

#include <algorithm>
#include <array>
#include <limits>

#include <tern/core/base/error.h>

#ifdef TERN_HAVE_ZLIB
#include <zlib.h>
#endif

namespace tern::detail {

#ifdef TERN_HAVE_ZLIB

struct Inflater::Stream {
  Stream(const InputFile& input, const ZipEntry& from)
      : file(input), entry(from), next(from.offset), left(from.packed_size) {
    constexpr int kRaw = -15;  // data in ZIP archives have no zlib header
    if (inflateInit2(&z, kRaw) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { inflateEnd(&z); }

  [[noreturn]] void fail(const char* what) const {
    raise<FileError>("load: '", file.path(), "': entry '", entry.name, "': ", what);
  }

  void refill() {
    if (z.avail_in > 0 || left == 0) return;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, packed.size()));
    file.read(next, packed.data(), count);
    next += count;
    left -= count;
    z.next_in = packed.data();
    z.avail_in = static_cast<uInt>(count);
  }

  int run() {
    // Also runs without input, because zlib may still have output.
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result == Z_BUF_ERROR) fail("its compressed data end too early");
    if (result != Z_OK && result != Z_STREAM_END) fail("its compressed data are damaged");
    return result;
  }

  const InputFile& file;
  const ZipEntry& entry;
  std::uint64_t next, left;  // position and number of the packed bytes that remain
  z_stream z{};
  bool at_end = false;
  std::array<Bytef, 1 << 16> packed;
};

Inflater::Inflater(const InputFile& file, const ZipEntry& entry)
    : stream_(std::make_unique<Stream>(file, entry)) {}

void Inflater::read(char* to, std::size_t count) {
  Stream& s = *stream_;
  while (count > 0) {
    if (s.at_end) s.fail("it holds fewer bytes than the list of contents says");
    s.refill();
    const auto part =
        static_cast<uInt>(std::min<std::size_t>(count, std::numeric_limits<uInt>::max()));
    s.z.next_out = reinterpret_cast<Bytef*>(to);
    s.z.avail_out = part;
    const int result = s.run();
    s.at_end = result == Z_STREAM_END;
    to += part - s.z.avail_out;
    count -= part - s.z.avail_out;
  }
}

void Inflater::finish() {
  Stream& s = *stream_;
  while (!s.at_end) {
    s.refill();
    Bytef byte;
    s.z.next_out = &byte;
    s.z.avail_out = 1;
    const int result = s.run();
    if (s.z.avail_out == 0) s.fail("it holds more bytes than the list of contents says");
    s.at_end = result == Z_STREAM_END;
  }
  if (s.left + s.z.avail_in > 0) s.fail("unexpected bytes after its compressed data");
}

#else

struct Inflater::Stream {};

Inflater::Inflater(const InputFile& file, const ZipEntry& entry) {
  raise<FileError>("load: '", file.path(), "': entry '", entry.name,
                   "' is compressed, and this tern was built without zlib");
}
void Inflater::read(char*, std::size_t) {}
void Inflater::finish() {}

#endif

Inflater::~Inflater() = default;

}  // namespace tern::detail
