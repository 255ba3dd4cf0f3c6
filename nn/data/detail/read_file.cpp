#include <tern/nn/data/detail/read_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

namespace tern::data::detail {
namespace {

class OpenFile {
 public:
  // Does not wait for the writer of a pipe.
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

std::string read_file(const char* reader, const std::string& path, std::uint64_t limit) {
  const OpenFile file(path);
  TERN_CHECK(file.descriptor() >= 0, FileError, reader, ": cannot open ", path, ": ",
             tern::detail::system_reason(errno));
  struct stat facts;
  TERN_CHECK(::fstat(file.descriptor(), &facts) == 0, FileError, reader, ": cannot read ", path,
             ": ", tern::detail::system_reason(errno));
  TERN_CHECK(S_ISREG(facts.st_mode), FileError, reader, ": ", path, " is ",
             S_ISDIR(facts.st_mode) ? "a folder" : "not a regular file");
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  TERN_CHECK(size <= limit, FileError, reader, ": ", path, " has ", size,
             " bytes, expected at most ", limit);
  std::string bytes;
  try {
    bytes.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    tern::detail::raise<OutOfMemoryError>(reader, ": no memory for the ", size, " bytes of ", path);
  }
  std::size_t found = 0;
  while (found < bytes.size()) {
    const ssize_t part = ::read(file.descriptor(), bytes.data() + found, bytes.size() - found);
    if (part < 0 && errno == EINTR) continue;
    TERN_CHECK(part >= 0, FileError, reader, ": cannot read ", path, " at byte ", found, ": ",
               tern::detail::system_reason(errno));
    if (part == 0) break;  // the file became shorter
    found += static_cast<std::size_t>(part);
  }
  bytes.resize(found);
  return bytes;
}

std::string join_path(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.ends_with('/') ? folder + name : folder + "/" + name;
}

bool path_exists(const std::string& path) {
  struct stat facts;
  return ::stat(path.c_str(), &facts) == 0;
}

}  // namespace tern::data::detail
