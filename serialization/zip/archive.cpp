#include <tern/serialization/zip/detail/archive.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/serialization/file/detail/little_endian.h>

// The numbers in this file are the offsets of fields in the records, from PKWARE's APPNOTE.

namespace tern::detail {
namespace {

constexpr std::uint64_t kCentralSize = 46, kEndSize = 22;
constexpr std::uint64_t kLocatorSize = 20, kEnd64Size = 56, kMaxComment = 0xFFFF;
constexpr std::uint64_t kMaxRatio = 1032;  // the best compression ratio of deflate

std::uint16_t u16(std::string_view bytes, std::size_t at) {
  return load_little<std::uint16_t>(bytes.data() + at);
}
std::uint32_t u32(std::string_view bytes, std::size_t at) {
  return load_little<std::uint32_t>(bytes.data() + at);
}
std::uint64_t u64(std::string_view bytes, std::size_t at) {
  return load_little<std::uint64_t>(bytes.data() + at);
}

/// Returns `count` bytes at `offset`. The caller has compared the range with the size of the file.
std::string bytes_at(const InputFile& file, std::uint64_t offset, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  file.read(offset, bytes.data(), bytes.size());
  return bytes;
}

/// Replaces the numbers of `entry` that did not fit into 32 bits by the numbers of the zip64 field.
/// Returns false if a number is missing.
bool take_zip64(ZipEntry& entry, std::string_view extra) {
  std::uint64_t* wanted[] = {&entry.size, &entry.packed_size, &entry.offset};
  while (extra.size() >= 4) {
    const std::uint16_t id = u16(extra, 0), size = u16(extra, 2);
    extra.remove_prefix(4);
    if (size > extra.size()) break;
    if (id == 1) {
      std::string_view field = extra.substr(0, size);
      for (std::uint64_t* number : wanted) {
        if (*number != kSee64 || field.size() < 8) continue;
        *number = u64(field, 0);
        field.remove_prefix(8);
      }
      break;
    }
    extra.remove_prefix(size);
  }
  return std::ranges::none_of(wanted, [](const auto* number) { return *number == kSee64; });
}

template <class... Parts>
void check(bool condition, const InputFile& file, const Parts&... parts) {
  TERN_CHECK(condition, FileError, "load: '", file.path(), "': ", parts...);
}

}  // namespace

ZipArchive::ZipArchive(const InputFile& file) : file_(file) {
  const Directory directory = find_directory();
  read_entries(directory);
  locate_data(directory.offset);
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const std::uint64_t size = file_.size();
  const std::uint64_t tail_size = std::min(size, kEndSize + kMaxComment);
  const std::string tail = bytes_at(file_, size - tail_size, tail_size);
  std::size_t at = tail.rfind("PK\5\6");
  while (at != tail.npos &&
         (tail.size() - at < kEndSize || u16(tail, at + 20) != tail.size() - at - kEndSize)) {
    at = at == 0 ? tail.npos : tail.rfind("PK\5\6", at - 1);
  }
  check(at != tail.npos, file_, "the list of contents at the end is missing: the file is cut off");
  Directory directory{u16(tail, at + 10), u32(tail, at + 12), u32(tail, at + 16)};
  std::uint64_t end = size - tail_size + at;  // end of the directory
  if (at >= kLocatorSize && tail.compare(at - kLocatorSize, 4, "PK\6\7") == 0) {
    const std::uint64_t offset = u64(tail, at - kLocatorSize + 8);
    check(end >= kLocatorSize + kEnd64Size && offset <= end - kLocatorSize - kEnd64Size, file_,
          "the zip64 end record lies outside the file");
    const std::string record = bytes_at(file_, offset, kEnd64Size);
    check(record.starts_with("PK\6\6"), file_, "the zip64 end record is damaged");
    directory = {u64(record, 32), u64(record, 40), u64(record, 48)};
    end = offset;
  }
  check(directory.offset <= end && directory.size == end - directory.offset, file_,
        "the list of contents should be bytes ", directory.offset, " to ",
        directory.offset + directory.size, ", but ends at ", end);
  return directory;
}

void ZipArchive::read_entries(const Directory& directory) {
  const std::string bytes = bytes_at(file_, directory.offset, directory.size);
  std::string_view rest = bytes;
  check(directory.count <= bytes.size() / kCentralSize, file_, "a list of contents of ",
        bytes.size(), " bytes cannot have ", directory.count, " entries");
  entries_.reserve(static_cast<std::size_t>(directory.count));
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    check(rest.size() >= kCentralSize && rest.starts_with("PK\1\2"), file_,
          "the list of contents is damaged at entry ", i);
    const std::size_t name_size = u16(rest, 28), extra_size = u16(rest, 30);
    const std::size_t total = kCentralSize + name_size + extra_size + u16(rest, 32);
    check(total <= rest.size(), file_, "the list of contents is cut off in entry ", i);
    ZipEntry& entry = entries_.emplace_back();
    entry.name = rest.substr(kCentralSize, name_size);
    entry.offset = u32(rest, 42);
    entry.packed_size = u32(rest, 20);
    entry.size = u32(rest, 24);
    entry.crc = u32(rest, 16);
    const std::uint16_t flags = u16(rest, 8), method = u16(rest, 10);
    check((flags & 1) == 0, file_, "entry '", entry.name, "' is encrypted");
    check(method == 0 || method == 8, file_, "entry '", entry.name, "': compression ", method,
          " is neither 0 (stored) nor 8 (deflated)");
    entry.deflated = method == 8;
    check(take_zip64(entry, rest.substr(kCentralSize + name_size, extra_size)), file_, "entry '",
          entry.name, "': a zip64 size is missing");
    check(entry.deflated ? entry.size / kMaxRatio <= entry.packed_size
                         : entry.size == entry.packed_size,
          file_, "entry '", entry.name, "': ", entry.packed_size, " packed bytes cannot unpack to ",
          entry.size, " bytes");
    rest.remove_prefix(total);
  }
  check(rest.empty(), file_, "the list of contents has ", rest.size(), " bytes too many");
  for (const ZipEntry& entry : entries_) {
    check(by_name_.emplace(entry.name, &entry).second, file_, "entry '", entry.name,
          "' appears twice");
  }
}

/// Replaces the offset of each entry's header by the offset of its data.
void ZipArchive::locate_data(std::uint64_t end) {
  std::vector<ZipEntry*> order;
  for (ZipEntry& entry : entries_) order.push_back(&entry);
  std::ranges::sort(order, {}, &ZipEntry::offset);
  for (std::size_t i = 0; i < order.size(); ++i) {
    ZipEntry& entry = *order[i];
    const std::uint64_t next = i + 1 < order.size() ? std::min(order[i + 1]->offset, end) : end;
    const std::uint64_t named = kLocalSize + entry.name.size();
    check(entry.offset <= next && named <= next - entry.offset, file_, "entry '", entry.name,
          "' overlaps the next part of the file");
    const std::string header = bytes_at(file_, entry.offset, named);
    check(header.starts_with("PK\3\4") && u16(header, 26) == entry.name.size() &&
              header.ends_with(entry.name),
          file_, "entry '", entry.name, "': its header does not match the list of contents");
    const std::uint64_t room = next - entry.offset - named, extra = u16(header, 28);
    check(extra <= room && entry.packed_size <= room - extra, file_, "entry '", entry.name,
          "' should have ", entry.packed_size, " bytes, but the file has at most ",
          extra <= room ? room - extra : 0);
    entry.offset += named + extra;
  }
}

}  // namespace tern::detail
