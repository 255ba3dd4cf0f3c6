#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

#include <tern/serialization/json/detail/text_file.h>

namespace tern::detail {

/// The characters for nlohmann's parser. The parser never sees the elements of a tensor: it gets
/// `inserted` in their place and continues after them.
struct Source {
  TextFile& text;
  std::string_view inserted;
};

class SourceIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit SourceIterator(Source* source) : source_(source) {}
  char operator*() const {
    const char c = source_->inserted.empty() ? source_->text.peek() : source_->inserted.front();
    // The parser would treat a NUL as the end of the text and ignore all text after it.
    if (c == '\0') source_->text.fail(source_->text.offset(), "unexpected NUL byte");
    return c;
  }
  SourceIterator& operator++() {
    if (source_->inserted.empty()) {
      source_->text.skip(1);
    } else {
      source_->inserted.remove_prefix(1);
    }
    return *this;
  }
  friend bool operator==(const SourceIterator& a, const SourceIterator& b) {
    return a.at_end() == b.at_end();
  }

 private:
  bool at_end() const {
    return source_ == nullptr || (source_->inserted.empty() && source_->text.at_end());
  }
  Source* source_;  // null for the end iterator
};

}  // namespace tern::detail
