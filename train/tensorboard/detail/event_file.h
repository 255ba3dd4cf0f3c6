#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include <tern/train/log/detail/append_file.h>

namespace tern::train::detail {

/// Returns the CRC-32C (Castagnoli) of `bytes`, masked as in files of TensorFlow records.
std::uint32_t masked_crc32c(std::string_view bytes);

/// Returns a record: the length of `data`, the checksum of the length, `data`, its checksum.
std::string framed_record(std::string_view data);

/// Returns the seconds since 1970.
double wall_time();

/// A file of events that TensorBoard reads. Several threads may write to it.
class EventFile {
 public:
  /// Creates the folder and a new file in it, and writes the version of the format.
  EventFile(const std::string& folder, const std::string& suffix);

  const std::string& path() const { return file_.path(); }
  /// Appends an event, completely or not at all. Throws FileError.
  void write(std::string_view event);
  /// Waits until all events are on the disk.
  void sync();

 private:
  std::mutex mutex_;
  AppendFile file_;
};

}  // namespace tern::train::detail
