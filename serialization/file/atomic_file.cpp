#include <tern/serialization/file/detail/atomic_file.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <memory>
#include <utility>

#include <tern/core/base/detail/plain_text.h>
#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/retry.h>

namespace tern::detail {
namespace {

constexpr std::string_view kPrefix = ".tern-";
constexpr std::string_view kSuffix = ".tmp";

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// Returns the end of a chain of symbolic links, which may be a name that does not exist yet. Sets
/// errno and returns an empty string for a chain without an end.
std::string follow_links(std::string path) {
  constexpr int kMaxLinks = 40;  // the limit of Linux
  char target[PATH_MAX];
  for (int i = 0; i < kMaxLinks; ++i) {
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size < 0) return path;  // not a link, or the name does not exist
    const std::string next(target, static_cast<std::size_t>(size));
    path = next.starts_with('/') ? next : text_of(folder_of(path), next);
  }
  errno = ELOOP;
  return "";
}

/// Closes a file descriptor at the end of its scope.
struct Descriptor {
  FileCalls& calls;
  int number;
  ~Descriptor() {
    if (number >= 0) calls.close(number);
  }
};

/// Returns a name that no other save uses. The name does not contain the target's name, which may
/// already have the maximum length.
std::string unique_name() {
  static std::atomic<unsigned> counter{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::string(kPrefix) + std::to_string(::getpid()) + "-" + std::to_string(now) + "-" +
         std::to_string(counter.fetch_add(1)) + std::string(kSuffix);
}

}  // namespace

AtomicFile::AtomicFile(std::string path, FileCalls& calls)
    : calls_(calls), path_(std::move(path)), target_(follow_links(path_)) {
  if (target_.empty()) fail("cannot follow the symbolic link", path_, errno);
  folder_ = folder_of(target_);
  struct stat old;
  // Renaming over a device or a pipe would replace the node itself.
  TERN_CHECK(::stat(target_.c_str(), &old) != 0 || S_ISREG(old.st_mode), FileError, "save: '",
             path_, "' is ", S_ISDIR(old.st_mode) ? "a folder" : "not a regular file");
  sweep_leftovers();
  create_sibling();
}

AtomicFile::~AtomicFile() {
  if (!sibling_.empty()) calls_.unlink(sibling_.c_str());
  if (file_ >= 0) calls_.close(file_);
}

void AtomicFile::fail(const char* what, const std::string& path, int error) const {
  raise<FileError>("save: '", path_, "': ", what, " '", path.empty() ? "." : path,
                   "': ", tern::detail::system_reason(error));
}

void AtomicFile::create_sibling() {
  do {
    std::string name = folder_ + unique_name();
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    file_ = retry([&] { return calls_.open(name.c_str(), flags, 0666); });
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) fail("cannot create a file in the folder", folder_, errno);
    sibling_ = std::move(name);
  } while (file_ < 0 || !lock_sibling());
  struct stat old;
  if (::stat(target_.c_str(), &old) == 0) ::fchmod(file_, old.st_mode & 0777);
}

/// Returns false if another process removed the new sibling as a leftover.
bool AtomicFile::lock_sibling() {
  struct stat now;
  const bool locked = retry([&] { return calls_.flock(file_, LOCK_EX | LOCK_NB); }) == 0;
  // On a file system without locks, no process removes leftovers.
  if (!locked && errno != EWOULDBLOCK) return true;
  if (locked && ::fstat(file_, &now) == 0 && now.st_nlink > 0) return true;
  calls_.close(file_);
  file_ = -1;
  sibling_.clear();
  return false;
}

void AtomicFile::sweep_leftovers() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(folder_.empty() ? "." : folder_.c_str()), &::closedir);
  if (!folder) return;  // creating the sibling reports the reason
  while (const dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const std::string path = folder_ + entry->d_name;
    const int file = calls_.open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (file < 0) continue;
    if (calls_.flock(file, LOCK_EX | LOCK_NB) == 0) calls_.unlink(path.c_str());
    calls_.close(file);
  }
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const long count = retry([&] { return calls_.write(file_, bytes.data(), bytes.size()); });
    if (count <= 0) fail("cannot write to", sibling_, count < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    written_ += count;
    start_writeback();
  }
}

/// Starts writing to the disk early, so that the sync at the end takes less time.
void AtomicFile::start_writeback() {
  constexpr std::int64_t kStep = 16 << 20;
  if (written_ - started_ < kStep) return;
  // Ignores errors: the sync at the end fails again and reports them.
  ::sync_file_range(file_, started_, written_ - started_, SYNC_FILE_RANGE_WRITE);
  started_ = written_;
}

void AtomicFile::commit() {
  // Never retries a failed sync: the system may have dropped the pages that it could not write.
  if (retry([&] { return calls_.fsync(file_); }) != 0) fail("cannot sync", sibling_, errno);
  const std::string folder = folder_.empty() ? "." : folder_;
  const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  const Descriptor folder_file{calls_,
                               retry([&] { return calls_.open(folder.c_str(), flags, 0); })};
  if (folder_file.number < 0) fail("cannot open the folder", folder, errno);
  // Closes before the rename, because some systems report write errors only at close; the old file
  // then stays. The duplicate keeps the lock, which must live longer than the sibling's name.
  const int lock = retry([&] { return calls_.dup(file_); });
  if (lock < 0) fail("cannot duplicate the descriptor of", sibling_, errno);
  const int closed = calls_.close(std::exchange(file_, lock));
  if (closed != 0 && errno != EINTR) fail("cannot close", sibling_, errno);
  if (retry([&] { return calls_.rename(sibling_.c_str(), target_.c_str()); }) != 0) {
    fail("cannot rename the temporary file to", target_, errno);
  }
  sibling_.clear();
  calls_.close(std::exchange(file_, -1));
  // File systems that cannot sync folders return EINVAL, which is not an error here.
  if (retry([&] { return calls_.fsync(folder_file.number); }) != 0 && errno != EINVAL) {
    fail("saved, but cannot sync the folder", folder, errno);
  }
}

}  // namespace tern::detail
