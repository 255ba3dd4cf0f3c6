#include <tern/serialization/zip/detail/byte_stream.h>

#include <algorithm>
#include <utility>

#include <tern/serialization/zip/detail/crc32.h>

namespace tern::detail {
namespace {

constexpr std::size_t kChunk = 1 << 16;

}  // namespace

ByteStream::ByteStream(const InputFile& file, std::uint64_t offset)
    : file_(file), offset_(offset), unfetched_(file.size() - offset) {}

ByteStream::ByteStream(const InputFile& file, const ZipEntry& entry, std::string note)
    : file_(file),
      entry_(&entry),
      note_(std::move(note)),
      offset_(entry.offset),
      unfetched_(entry.size) {
  if (entry.deflated) inflater_.emplace(file, entry);
}

void ByteStream::check_room(std::uint64_t count) const {
  if (count > remaining()) fail("expected ", count, " bytes, but only ", remaining(), " remain");
}

void ByteStream::refuse_expansion() const {
  constexpr std::uint64_t kMostTimes = 64, kSmall = 1 << 16;
  if (entry_ == nullptr || entry_->size <= kSmall) return;
  if (entry_->size / kMostTimes > entry_->packed_size) {
    fail(entry_->packed_size, " bytes unpack to ", entry_->size, " bytes, at most ", kMostTimes,
         " times as many are allowed");
  }
}

void ByteStream::fetch(char* to, std::size_t count) {
  if (inflater_) {
    inflater_->read(to, count);
  } else {
    file_.read(offset_, to, count);
    offset_ += count;
  }
  unfetched_ -= count;
  if (entry_ != nullptr) crc_ = crc32(crc_, {to, count});
}

void ByteStream::read(void* to, std::size_t count) {
  check_room(count);
  auto* target = static_cast<char*>(to);
  while (count > 0) {
    std::size_t part = std::min(count, buffer_.size() - next_);
    if (part > 0) {
      std::copy_n(buffer_.data() + next_, part, target);
      next_ += part;
    } else if (count >= kChunk) {  // without the buffer; the checksum finds a chunk in the cache
      part = kChunk;
      fetch(target, part);
    } else {
      buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, unfetched_)));
      next_ = 0;
      fetch(buffer_.data(), buffer_.size());
    }
    target += part;
    count -= part;
  }
}

std::string ByteStream::text(std::uint64_t count) {
  check_room(count);
  std::string bytes(static_cast<std::size_t>(count), '\0');
  read(bytes.data(), bytes.size());
  return bytes;
}

void ByteStream::skip(std::uint64_t count) {
  check_room(count);
  char dropped[4096];
  for (std::uint64_t rest = count; rest > 0;) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(rest, sizeof dropped));
    read(dropped, part);
    rest -= part;
  }
}

void ByteStream::finish() {
  if (remaining() > 0) fail(remaining(), " bytes too many");
  if (inflater_) inflater_->finish();
  // torch.save can leave out the checksums; they are then 0.
  if (entry_ != nullptr && entry_->crc != 0 && entry_->crc != crc_) fail("the checksum differs");
}

}  // namespace tern::detail
