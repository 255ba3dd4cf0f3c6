#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <tern/serialization/file/detail/input_file.h>

namespace tern::detail {

/// A 32-bit field with this value means that the zip64 field has the number.
constexpr std::uint64_t kSee64 = 0xFFFFFFFF;
/// The size of a local header without the name and the extra fields.
constexpr std::uint64_t kLocalSize = 30;

/// One file in a ZIP archive.
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;       // position of the data in the archive
  std::uint64_t packed_size = 0;  // bytes in the archive
  std::uint64_t size = 0;         // unpacked bytes
  std::uint32_t crc = 0;          // checksum of the unpacked bytes; 0 if the writer left it out
  bool deflated = false;
};

/// The list of contents of a ZIP archive, including zip64. Throws FileError unless every entry is
/// inside the file and overlaps no other entry, all names differ, and the name in an entry's header
/// is the name in the list. Also throws FileError for encrypted entries and unknown compressions.
class ZipArchive {
 public:
  explicit ZipArchive(const InputFile& file);
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const InputFile& file() const { return file_; }
  /// Returns the entries in the order of the list.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  /// Returns the entry of a name, or null if no entry has this name.
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
