#include <tern/train/log/detail/append_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/retry.h>

namespace tern::train::detail {

using tern::detail::retry;

AppendFile::AppendFile(const char* user, std::string path, bool must_be_new)
    : user_(user), path_(std::move(path)) {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (must_be_new ? O_EXCL : 0);
  file_ = retry([&] { return ::open(path_.c_str(), flags, 0666); });
  if (file_ < 0) fail("open", errno);
}

AppendFile::~AppendFile() {
  if (file_ >= 0) ::close(file_);
}

void AppendFile::fail(const char* step, int error) const {
  tern::detail::raise<FileError>(user_, ": cannot ", step, " '", path_,
                                 "': ", tern::detail::system_reason(error));
}

void AppendFile::append(std::string_view bytes) {
  const off_t before = ::lseek(file_, 0, SEEK_END);  // -1 for a pipe
  while (!bytes.empty()) {
    const ssize_t count = retry([&] { return ::write(file_, bytes.data(), bytes.size()); });
    if (count <= 0) {
      const int error = count < 0 ? errno : ENOSPC;
      if (before >= 0) (void)!::ftruncate(file_, before);
      fail("write to", error);
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void AppendFile::truncate(std::uint64_t size) {
  const int result = retry([&] { return ::ftruncate(file_, static_cast<off_t>(size)); });
  if (result != 0) fail("shorten", errno);
}

void AppendFile::sync() {
  if (retry([&] { return ::fsync(file_); }) != 0) fail("sync", errno);
}

}  // namespace tern::train::detail
