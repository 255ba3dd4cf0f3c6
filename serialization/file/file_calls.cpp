#include <tern/serialization/file/detail/file_calls.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>

namespace tern::detail {

int FileCalls::open(const char* path, int flags, unsigned mode) {
  return ::open(path, flags, static_cast<mode_t>(mode));
}
int FileCalls::flock(int file, int operation) { return ::flock(file, operation); }
long FileCalls::write(int file, const void* data, std::size_t size) {
  return ::write(file, data, size);
}
int FileCalls::dup(int file) { return ::fcntl(file, F_DUPFD_CLOEXEC, 0); }
int FileCalls::fsync(int file) { return ::fsync(file); }
int FileCalls::close(int file) { return ::close(file); }
int FileCalls::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileCalls::unlink(const char* path) { return ::unlink(path); }

FileCalls& system_calls() {
  static FileCalls calls;
  return calls;
}

}  // namespace tern::detail
