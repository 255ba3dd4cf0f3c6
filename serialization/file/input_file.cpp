#include <tern/serialization/file/detail/input_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>

namespace tern::detail {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path) {
  raise<FileError>("load: cannot ", what, " '", path, "': ", tern::detail::system_reason(errno));
}

/// Opens with O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
int open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) fail("open", path);
  return file;
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)), file_(open_file(path_)) {
  try {
    struct stat facts;
    if (::fstat(file_, &facts) != 0) fail("get the status of", path_);
    TERN_CHECK(S_ISREG(facts.st_mode), FileError, "load: '", path_, "' is ",
               S_ISDIR(facts.st_mode) ? "a folder" : "not a regular file");
    size_ = static_cast<std::uint64_t>(facts.st_size);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

InputFile::InputFile(std::string name, std::uint64_t size, Read read)
    : path_(std::move(name)), read_(std::move(read)), size_(size) {}

InputFile::~InputFile() {
  if (file_ >= 0) ::close(file_);
}

std::string InputFile::head(std::size_t count) const {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(count, size_)), '\0');
  read(0, bytes.data(), bytes.size());
  return bytes;
}

/// Reads at most `count` bytes of the file.
std::size_t InputFile::read_part(std::uint64_t offset, char* to, std::size_t count) const {
  for (;;) {
    const ssize_t done = ::pread(file_, to, count, static_cast<off_t>(offset));
    if (done >= 0) return static_cast<std::size_t>(done);
    if (errno != EINTR) fail("read", path_);
  }
}

void InputFile::read(std::uint64_t offset, void* to, std::size_t count) const {
  TERN_CHECK(offset <= size_ && count <= size_ - offset, FileError, "load: '", path_, "' has ",
             size_, " bytes, which do not include ", count, " bytes from ", offset, " on");
  auto* next = static_cast<char*>(to);
  while (count > 0) {
    const std::size_t done = read_ ? read_(offset, next, count) : read_part(offset, next, count);
    TERN_CHECK(done > 0 && done <= count, FileError, "load: '", path_,
               "' became shorter while it was read");
    next += done;
    offset += done;
    count -= done;
  }
}

}  // namespace tern::detail
