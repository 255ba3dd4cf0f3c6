#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tern/core/base/visibility.h>
#include <tern/serialization/file/detail/file_calls.h>

namespace tern::detail {

/// A file that appears under its name completely or not at all. After an error, a crash or a power
/// failure the name shows the old content or the new content, never a mix.
///
/// The content goes to a locked temporary file in the same folder, the sibling `.tern-*.tmp`.
/// commit() syncs the sibling, renames it over `path`, and syncs the folder. Siblings left by a
/// crash are not locked, and the next save into the folder removes them. A symbolic link stays, and
/// its target is replaced; the permissions of a replaced file stay.
///
/// Throws: FileError from all functions, with the path, the step that failed and the system's
/// reason.
class TERN_API AtomicFile {
 public:
  /// Creates the sibling. `calls` must outlive this object.
  explicit AtomicFile(std::string path, FileCalls& calls = system_calls());
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the sibling unless commit() has succeeded; `path` is then unchanged.
  ~AtomicFile();

  /// Returns the path as given.
  const std::string& path() const { return path_; }
  /// Appends bytes to the new content.
  void write(std::string_view bytes);
  /// Makes the new content appear under `path`. If only the sync of the folder fails, the new
  /// content is in place, but a power failure may still restore the old content.
  void commit();
  /// Returns true if the new content has appeared, also if the sync of the folder failed.
  bool in_place() const { return sibling_.empty(); }

 private:
  void create_sibling();
  bool lock_sibling();
  void sweep_leftovers();
  void start_writeback();
  [[noreturn]] void fail(const char* what, const std::string& path, int error) const;

  FileCalls& calls_;
  std::string path_;     // as the user wrote it, for error texts
  std::string target_;   // path_ with symbolic links followed
  std::string folder_;   // of target_
  std::string sibling_;  // path of the temporary file; empty if none has to be removed
  int file_ = -1;
  std::int64_t written_ = 0;  // bytes so far
  std::int64_t started_ = 0;  // bytes whose writing to the disk was started
};

}  // namespace tern::detail
