#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/text/detail/unicode.h>
#include <tern/text/detail/utf8.h>

namespace tern::text {

/// A part of a text, in bytes.
struct Span {
  std::uint32_t begin, end;
};

/// A text and, for each of its bytes, the part of the input that it stems from. A text that is the
/// input itself, or a part of it, is a view.
class AlignedText {
 public:
  /// The part of the input that begins at byte `begin` of it.
  AlignedText(std::string_view part, std::uint32_t begin) : part_(part), begin_(begin) {}
  /// A text without bytes, for append().
  AlignedText() : is_own_(true) {}

  std::string_view view() const { return is_own_ ? std::string_view(bytes_) : part_; }
  /// The part of the input that `part` of this text stems from. Whole characters alone stem from
  /// the input: a part of one stems from all of it.
  Span origin(Span part) const;
  /// Returns a part of this text.
  AlignedText slice(Span part) const;

  /// Appends a character, or bytes, with the origin of each byte.
  void append(char32_t code, Span origin);
  void append(std::string_view text, Span origin);
  /// Appends a part of another text.
  void append(const AlignedText& other, Span part);

  /// Calls `visit(code, origin)` for each character.
  template <class Visit>
  void for_each(const Visit& visit) const {
    const std::string_view text = view();
    for (std::uint32_t at = 0; at < text.size();) {
      const auto [code, size] = decode_at(text, at);
      visit(code, is_own_ ? spans_[at] : Span{begin_ + at, begin_ + at + size});
      at += size;
    }
  }
  /// Applies what a normal form did. A character takes the origin of the one that it replaces; one
  /// more takes that of the character before.
  void apply(const std::vector<Change>& changes);

 private:
  std::string_view part_;
  std::uint32_t begin_ = 0;
  std::string bytes_;
  std::vector<Span> spans_;
  bool is_own_ = false;
};

}  // namespace tern::text
