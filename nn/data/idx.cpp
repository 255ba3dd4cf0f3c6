#include <tern/nn/data/idx.h>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <memory>
#include <new>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

#ifdef TERN_HAVE_ZLIB
#include <zlib.h>
#endif

namespace tern::data {
namespace {

bool ends_with_gz(const std::string& path) { return path.ends_with(".gz"); }

/// Reads the bytes of a file in order, decompressed if necessary.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `target` up to the end of the file and returns the number of bytes.
  virtual std::size_t read(std::uint8_t* target, std::size_t count) = 0;
};

class PlainSource : public ByteSource {
 public:
  explicit PlainSource(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    TERN_CHECK(file_, FileError, "idx: cannot open ", path, ": ",
               tern::detail::system_reason(errno));
  }

  std::size_t read(std::uint8_t* target, std::size_t count) override {
    const std::size_t found = std::fread(target, 1, count, file_.get());
    TERN_CHECK(std::ferror(file_.get()) == 0, FileError, "idx: cannot read ", path_, ": ",
               tern::detail::system_reason(errno));
    return found;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

#ifdef TERN_HAVE_ZLIB
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    TERN_CHECK(file_, FileError, "idx: cannot open ", path, ": ",
               tern::detail::system_reason(errno));
    gzbuffer(file_.get(), 1 << 17);
  }

  std::size_t read(std::uint8_t* target, std::size_t count) override {
    std::size_t total = 0;
    while (total < count) {
      const std::size_t part = std::min<std::size_t>(count - total, 1 << 20);
      const int found = gzread(file_.get(), target + total, static_cast<unsigned>(part));
      if (found <= 0) break;
      total += static_cast<std::size_t>(found);
    }
    // gzread returns a truncated file as a short read; only gzerror reports the error.
    int code = Z_OK;
    const char* reason = gzerror(file_.get(), &code);
    TERN_CHECK(code == Z_OK || code == Z_STREAM_END, FileError, "idx: cannot unpack ", path_, ": ",
               code == Z_ERRNO ? tern::detail::system_reason(errno) : reason);
    return total;
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose_r(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};
#endif

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  // Reads only regular files, because opening a pipe would wait for a writer.
  struct stat facts;
  TERN_CHECK(::stat(path.c_str(), &facts) == 0, FileError, "idx: cannot open ", path, ": ",
             tern::detail::system_reason(errno));
  TERN_CHECK(S_ISREG(facts.st_mode), FileError, "idx: ", path, " is ",
             S_ISDIR(facts.st_mode) ? "a folder" : "not a regular file");
  if (!ends_with_gz(path)) return std::make_unique<PlainSource>(path);
#ifdef TERN_HAVE_ZLIB
  return std::make_unique<GzipSource>(path);
#else
  tern::detail::raise<FileError>("idx: cannot read ", path,
                                 ": this tern was built without zlib; unpack the file with gunzip");
#endif
}

std::uint32_t read_word(ByteSource& source, const std::string& path) {
  std::uint8_t bytes[4];
  const std::size_t found = source.read(bytes, 4);
  TERN_CHECK(found == 4, FileError, "idx: the header of ", path, " is cut off, found ", found,
             " of 4 bytes");
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

/// Reads `count` values in growing parts, so that a header with a huge size costs no memory.
std::vector<std::uint8_t> read_values(ByteSource& source, std::uint64_t count,
                                      const std::string& path) {
  constexpr std::uint64_t kPart = 8 << 20;
  std::vector<std::uint8_t> values;
  std::uint64_t found = 0;
  while (found < count) {
    const auto part = static_cast<std::size_t>(std::min(std::max(kPart, found), count - found));
    try {
      values.resize(static_cast<std::size_t>(found) + part);
    } catch (const std::bad_alloc&) {
      tern::detail::raise<OutOfMemoryError>("idx: no memory for ", path, ", which has more than ",
                                            found, " bytes unpacked");
    }
    const std::size_t got = source.read(values.data() + found, part);
    found += got;
    TERN_CHECK(got == part, FileError, "idx: ", path, " is cut off, expected ", count,
               " bytes after the header, found ", found);
  }
  std::uint8_t extra = 0;
  TERN_CHECK(source.read(&extra, 1) == 0, FileError, "idx: ", path, " is too long, expected ",
             count, " bytes after the header, found more");
  return values;
}

bool exists(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0 || errno != ENOENT;
}

/// Tries the known spellings of a file name, the plain spelling first, and returns the first path
/// that exists.
std::string find_file(const std::string& root, const std::string& set, const std::string& kind,
                      const std::string& what) {
  const std::string folder = root.empty() || root.ends_with('/') ? root : root + "/";
  const std::string plain = folder + set + "-" + kind;
  for (const char* separator : {"-", "."}) {
    for (const char* suffix : {"", ".gz"}) {
      std::string path = tern::detail::text_of(plain, separator, what, suffix);
      if (exists(path)) return path;
    }
  }
  const char* noun = kind == "images" ? "images" : "targets";
  tern::detail::raise<FileError>("Error opening ", noun, " file at ", plain, "-", what,
                                 " (no such file, neither plain nor .gz)");
}

}  // namespace

IdxArray read_idx(const std::string& path, std::uint32_t magic) {
  const std::unique_ptr<ByteSource> source = open_source(path);
  const std::uint32_t found = read_word(*source, path);
  TERN_CHECK(found == magic, FileError, "idx: ", path, " has the wrong magic number, expected ",
             magic, ", found ", found);
  IdxArray array;
  array.sizes.resize(magic & 0xff);  // the lowest byte is the number of dimensions
  std::uint64_t count = 1;
  for (std::size_t d = 0; d < array.sizes.size(); ++d) {
    const std::uint64_t size = read_word(*source, path);
    array.sizes[d] = static_cast<std::int64_t>(size);
    TERN_CHECK(size > 0 || d == 0, FileError, "idx: ", path,
               ": expected a size above 0 for dimension ", d, ", found 0");
    constexpr std::uint64_t kLimit = std::numeric_limits<std::int64_t>::max();
    TERN_CHECK(size == 0 || count <= kLimit / size, FileError, "idx: the sizes in ", path,
               " overflow, expected at most 2^63 - 1 bytes, found ", count, " x ", size);
    count *= size;
  }
  array.values = read_values(*source, count, path);
  return array;
}

IdxImages read_idx_images(const std::string& root, StrictBool train) {
  const std::string set = train ? "train" : "t10k";
  const std::string image_path = find_file(root, set, "images", "idx3-ubyte");
  const std::string label_path = find_file(root, set, "labels", "idx1-ubyte");
  IdxImages result{read_idx(image_path, kIdxImages), read_idx(label_path, kIdxLabels)};
  TERN_CHECK(result.images.sizes[0] == result.labels.sizes[0], FileError,
             "idx: the numbers of images and labels must be equal, but ", image_path, " has ",
             result.images.sizes[0], " and ", label_path, " has ", result.labels.sizes[0]);
  return result;
}

}  // namespace tern::data
