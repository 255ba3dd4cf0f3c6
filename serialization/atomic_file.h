#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>

namespace tern {

/// The system calls that saving makes. Each does what the POSIX call of its name does; tests derive
/// from it to record them or to let one fail.
class TERN_API FileCalls {
 public:
  virtual int open(const char* path, int flags, unsigned mode);
  virtual int flock(int file, int operation);
  virtual long write(int file, const void* data, std::size_t size);
  /// The new descriptor is closed on exec, too.
  virtual int dup(int file);
  virtual int fsync(int file);
  virtual int close(int file);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);
};

/// A file that appears under its name whole or not at all: through an error, a crash or a power
/// failure, the name shows the old content or the new one, never a mix.
///
/// The content goes to a locked sibling, `.tern-*.tmp`, which `commit` syncs and renames over
/// `path`; then it syncs the folder. Siblings that a crash left behind are no longer locked, and
/// the next save into the folder removes them. A symbolic link stays, and what it points to is
/// replaced; the permissions of a replaced file stay.
///
/// All functions throw FileError naming the path, what was tried and the system's reason.
class TERN_API AtomicFile {
 public:
  /// `calls` must outlive this object; null stands for the system's own.
  explicit AtomicFile(std::string path, FileCalls* calls = nullptr);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Without a commit: removes the sibling; `path` is untouched.
  ~AtomicFile();

  const std::string& path() const { return path_; }
  void write(std::string_view bytes);
  /// Makes the content appear. When only the sync of the folder fails, the new content is in place,
  /// but a power failure may still bring the old one back.
  void commit();
  /// Whether the content has appeared, which it also has when only the sync of the folder failed.
  bool in_place() const { return sibling_.empty(); }

 private:
  void create_sibling();
  bool lock_sibling();
  void sweep_leftovers();
  void start_writeback();
  [[noreturn]] void fail(const char* what, const std::string& path, int error) const;

  FileCalls* calls_;
  std::string path_;     // as the user wrote it, for errors
  std::string target_;   // behind symbolic links
  std::string folder_;   // of target_
  std::string sibling_;  // empty when there is none to remove
  int file_ = -1;
  std::int64_t written_ = 0;  // bytes so far
  std::int64_t started_ = 0;  // of them, how many the system was asked to bring to the disk
};

}  // namespace tern
