#include <tern/serialization/json/detail/text_file.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace tern::detail {
namespace {

constexpr std::size_t kWindow = 1 << 18;

}  // namespace

TextFile::TextFile(const InputFile& file)
    : file_(file),
      window_(std::make_unique_for_overwrite<char[]>(
          static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, file.size())) + 1)),
      at_(window_.get()),
      end_(at_) {
  refill(0);
}

void TextFile::seek(std::uint64_t offset) {
  if (offset >= begin_ && offset - begin_ <= static_cast<std::uint64_t>(end_ - window_.get())) {
    at_ = window_.get() + (offset - begin_);
  } else {
    at_ = end_;  // refill() keeps nothing of the window
    refill(offset);
  }
}

/// Moves the window to `offset` and keeps the text from at_ to end_ as its start.
void TextFile::refill(std::uint64_t offset) {
  const auto kept = static_cast<std::size_t>(end_ - at_);
  const std::uint64_t rest = size() - offset;
  const auto held = static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, rest));
  char* const window = window_.get();
  std::memmove(window, at_, kept);
  begin_ = offset;
  at_ = window;
  end_ = window + kept;  // valid even if reading throws
  file_.read(offset + kept, window + kept, held - kept);
  end_ = window + held;
  window[held] = '\0';
  refill_at_ = held < rest ? end_ - kMaxToken : end_ + 1;
}

std::string TextFile::place(std::uint64_t offset) const {
  std::uint64_t line = 1, column = 1;
  char block[1 << 12];
  for (std::uint64_t begin = 0; begin < std::min(offset, size()); begin += sizeof block) {
    const std::string_view text(
        block, static_cast<std::size_t>(std::min<std::uint64_t>(sizeof block, offset - begin)));
    file_.read(begin, block, text.size());
    line += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    const std::size_t newline = text.rfind('\n');
    column = newline == text.npos ? column + text.size() : text.size() - newline;
  }
  return text_of("load: '", file_.path(), "', line ", line, ", column ", column);
}

}  // namespace tern::detail
