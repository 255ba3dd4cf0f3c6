#include <tern/serialization/zip/detail/writer.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/little_endian.h>
#include <tern/serialization/zip/detail/archive.h>
#include <tern/serialization/zip/detail/crc32.h>

namespace tern::detail {
namespace {

constexpr std::uint64_t kAlignment = 64;  // the alignment of torch.save
constexpr std::uint16_t kVersion = 45;    // format version 4.5, which has zip64
constexpr std::uint16_t kUtf8 = 1 << 11;
constexpr std::uint16_t kFirstDay = 1 << 5 | 1;  // 1 January 1980: equal states give equal files

std::uint32_t low(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min(number, kSee64));
}

/// Returns the zip64 field with the numbers that do not fit into 32 bits. Empty if all fit.
std::string zip64_field(std::initializer_list<std::uint64_t> numbers) {
  std::string content;
  for (const std::uint64_t number : numbers) {
    if (number >= kSee64) append_little<std::uint64_t>(content, number);
  }
  if (content.empty()) return content;
  std::string field;
  append_little<std::uint16_t>(field, 1);
  append_little<std::uint16_t>(field, static_cast<std::uint16_t>(content.size()));
  return field + content;
}

/// Returns the fields that an entry's header and its record in the list of contents share.
std::string common_fields(std::uint32_t crc, std::uint64_t size, std::size_t name_size,
                          std::size_t extra_size) {
  std::string fields;
  append_little<std::uint16_t>(fields, kVersion);
  append_little<std::uint16_t>(fields, kUtf8);
  append_little<std::uint16_t>(fields, 0);  // method: stored
  append_little<std::uint16_t>(fields, 0);  // time: midnight
  append_little<std::uint16_t>(fields, kFirstDay);
  append_little<std::uint32_t>(fields, crc);
  append_little<std::uint32_t>(fields, low(size));
  append_little<std::uint32_t>(fields, low(size));
  append_little<std::uint16_t>(fields, static_cast<std::uint16_t>(name_size));
  append_little<std::uint16_t>(fields, static_cast<std::uint16_t>(extra_size));
  return fields;
}

}  // namespace

void ZipWriter::write(std::string_view bytes) {
  sink_(bytes);
  position_ += bytes.size();
}

void ZipWriter::add(std::string_view name, std::initializer_list<std::string_view> pieces) {
  TERN_CHECK(name.size() <= 0xFFFF, FileError, "save: '", name_, "': a name has ", name.size(),
             " bytes, a ZIP archive allows at most 65535");
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  for (const std::string_view piece : pieces) {
    size += piece.size();
    crc = crc32(crc, piece);
  }

  constexpr std::size_t kPaddingHead = 4;
  std::string extra = zip64_field({size, size});
  const std::uint64_t unpadded = position_ + kLocalSize + name.size() + extra.size() + kPaddingHead;
  const std::uint64_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;
  extra += "FB";  // the id of torch.save's padding field
  append_little<std::uint16_t>(extra, static_cast<std::uint16_t>(padding));
  extra.append(static_cast<std::size_t>(padding), 'Z');

  const std::string extra64 = zip64_field({size, size, position_});
  directory_ += "PK\1\2";
  append_little<std::uint16_t>(directory_, kVersion);
  directory_ += common_fields(crc, size, name.size(), extra64.size());
  directory_.append(10, '\0');  // no comment, first disk, no attributes
  append_little<std::uint32_t>(directory_, low(position_));
  directory_ += name;
  directory_ += extra64;
  ++count_;

  write("PK\3\4" + common_fields(crc, size, name.size(), extra.size()) + std::string(name) + extra);
  for (const std::string_view piece : pieces) write(piece);
}

void ZipWriter::finish() {
  const std::uint64_t offset = position_;
  const std::uint64_t size = directory_.size();
  write(directory_);
  std::string end;
  if (count_ >= 0xFFFF || offset >= kSee64 || size >= kSee64) {
    end += "PK\6\6";
    append_little<std::uint64_t>(end, 44);  // size of the rest of the record
    append_little<std::uint16_t>(end, kVersion);
    append_little<std::uint16_t>(end, kVersion);
    append_little<std::uint64_t>(end, 0);  // two disk numbers: the first disk
    append_little<std::uint64_t>(end, count_);
    append_little<std::uint64_t>(end, count_);
    append_little<std::uint64_t>(end, size);
    append_little<std::uint64_t>(end, offset);
    end += "PK\6\7";
    append_little<std::uint32_t>(end, 0);
    append_little<std::uint64_t>(end, offset + size);
    append_little<std::uint32_t>(end, 1);  // total number of disks
  }
  const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(count_, 0xFFFF));
  end += "PK\5\6";
  append_little<std::uint32_t>(end, 0);  // two disk numbers: the first disk
  append_little<std::uint16_t>(end, count);
  append_little<std::uint16_t>(end, count);
  append_little<std::uint32_t>(end, low(size));
  append_little<std::uint32_t>(end, low(offset));
  append_little<std::uint16_t>(end, 0);  // no comment
  write(end);
}

}  // namespace tern::detail
