#include <tern/nn/data/datasets/text_lines.h>

#include <string_view>
#include <utility>

#include <tern/core/base/error.h>
#include <tern/nn/data/detail/read_file.h>

namespace tern::data::datasets {

struct TextLines::Content {
  std::string text;
  std::vector<std::pair<std::size_t, std::size_t>> lines;  // first byte and size
};

TextLines::TextLines(const std::string& path, StrictBool skip_empty) {
  auto content = std::make_shared<Content>();
  content->text = data::detail::read_file("text", path);
  const std::string_view text = content->text;
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (begin < text.size()) {
    const std::size_t found = text.find('\n', begin);
    const std::size_t end = found == std::string_view::npos ? text.size() : found;
    std::size_t size = end - begin;
    if (size > 0 && text[begin + size - 1] == '\r') --size;
    if (size > 0 || !skip_empty) content->lines.emplace_back(begin, size);
    begin = end + 1;
  }
  content_ = std::move(content);
}

std::string TextLines::get(std::size_t index) {
  TERN_CHECK(index < content_->lines.size(), IndexError, "TextLines: line ", index,
             " is out of range for ", content_->lines.size(), " lines");
  const auto [begin, size] = content_->lines[index];
  return content_->text.substr(begin, size);
}

std::optional<std::size_t> TextLines::size() const { return content_->lines.size(); }

}  // namespace tern::data::datasets
