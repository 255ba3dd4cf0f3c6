#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// A 32-bit field of this value says that the number stands in the zip64 field.
constexpr std::uint64_t kSee64 = 0xFFFFFFFF;

/// One file in a ZIP archive.
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;       // of its bytes in the archive
  std::uint64_t packed_size = 0;  // in the archive
  std::uint64_t size = 0;         // unpacked
  std::uint32_t crc = 0;          // of the unpacked bytes; 0 when the writer did not compute it
  bool deflated = false;
};

/// The list of contents of a ZIP archive, zip64 included. Every entry lies inside the file and
/// overlaps no other, no name appears twice, and each stands the same in both of its places.
/// Throws FileError for everything else, encrypted entries and unknown compressions included.
class ZipArchive {
 public:
  explicit ZipArchive(const InputFile& file);
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const InputFile& file() const { return file_; }
  /// In the order of the list.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Null when there is none of this name.
  const ZipEntry* find(std::string_view name) const;

 private:
  struct Directory {
    std::uint64_t count, size, offset;
  };

  Directory find_directory() const;
  void read_entries(const Directory& directory);
  void locate_data(std::uint64_t end);

  const InputFile& file_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string_view, const ZipEntry*> by_name_;
};

}  // namespace tern::detail
