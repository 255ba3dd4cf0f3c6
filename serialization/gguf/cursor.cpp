#include <tern/serialization/gguf/detail/cursor.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tern::detail {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

void GgufCursor::require(std::uint64_t count, std::uint64_t size, const char* things) const {
  const std::uint64_t left = file_.size() - at_;
  if (count > left / size) {
    fail(count, things, " at byte ", at_, " need at least ", size, size == 1 ? " byte" : " bytes",
         " each, but the file has only ", left, " more");
  }
}

void GgufCursor::skip(std::uint64_t size) {
  require(size, 1, " bytes");
  at_ += size;
}

void GgufCursor::read(void* to, std::size_t size) {
  constexpr std::size_t kWindow = 16 << 10;
  const std::uint64_t from = at_;
  skip(size);
  if (size > kWindow) return file_.read(from, to, size);
  if (from < window_at_ || at_ > window_at_ + window_.size()) {
    window_.resize(std::min<std::uint64_t>(kWindow, file_.size() - from));
    file_.read(from, window_.data(), window_.size());
    window_at_ = from;
  }
  std::memcpy(to, window_.data() + (from - window_at_), size);
}

std::string GgufCursor::text(std::uint64_t size) {
  require(size, 1, " bytes");
  std::string text(static_cast<std::size_t>(size), '\0');
  read(text.data(), text.size());
  return text;
}

}  // namespace tern::detail
