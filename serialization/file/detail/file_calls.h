#pragma once

#include <cstddef>

#include <tern/core/base/visibility.h>

namespace tern::detail {

/// The system calls that saving makes. Each function does the same as the POSIX function of its
/// name. Tests derive from this class and pass their object to detail::save_state().
class TERN_API FileCalls {
 public:
  /// Opens a file; the descriptor is closed on exec.
  virtual int open(const char* path, int flags, unsigned mode);
  /// Locks or unlocks a file.
  virtual int flock(int file, int operation);
  /// Writes bytes and returns their number.
  virtual long write(int file, const void* data, std::size_t size);
  /// Duplicates a descriptor; the new descriptor is also closed on exec.
  virtual int dup(int file);
  /// Waits until the file is on the disk.
  virtual int fsync(int file);
  /// Closes a descriptor.
  virtual int close(int file);
  /// Renames a file over another.
  virtual int rename(const char* from, const char* to);
  /// Removes a name.
  virtual int unlink(const char* path);
};

/// Returns the system's own calls.
TERN_API FileCalls& system_calls();

}  // namespace tern::detail
