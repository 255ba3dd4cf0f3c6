#include <tern/serialization/detail/text_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tern::detail {
namespace {

struct OpenFile {
  int number;
  ~OpenFile() {
    if (number >= 0) ::close(number);
  }
};

[[noreturn]] void fail_with_errno(const std::string& path, const char* what) {
  raise<FileError>("load: cannot ", what, " '", path,
                   "': ", std::generic_category().message(errno));
}

}  // namespace

TextFile::TextFile(std::string path) : path_(std::move(path)) {
  // Opening a pipe would wait for a writer; nothing but a regular file is read.
  const OpenFile file{::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.number < 0) fail_with_errno(path_, "open");
  struct stat facts;
  if (::fstat(file.number, &facts) != 0) fail_with_errno(path_, "look at");
  TERN_CHECK(S_ISREG(facts.st_mode), FileError, "load: '", path_, "' is ",
             S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
  const auto expected = static_cast<std::size_t>(facts.st_size);
  try {
    bytes_ = std::make_unique_for_overwrite<char[]>(expected + 1);
  } catch (const std::bad_alloc&) {
    raise<OutOfMemoryError>("load: no memory for the ", expected, " bytes of '", path_, "'");
  }
  while (size_ < expected) {
    const ssize_t count = ::read(file.number, bytes_.get() + size_, expected - size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with_errno(path_, "read");
    TERN_CHECK(count > 0, FileError, "load: '", path_, "' became shorter while it was read");
    size_ += static_cast<std::size_t>(count);
  }
  bytes_[size_] = '\0';
}

std::string TextFile::place(const char* at) const {
  at = std::clamp(at, begin(), end());
  const auto line = 1 + std::count(begin(), at, '\n');
  const char* line_begin = at;
  while (line_begin > begin() && line_begin[-1] != '\n') --line_begin;
  return text_of("'", path_, "', line ", line, ", column ", at - line_begin + 1);
}

}  // namespace tern::detail
