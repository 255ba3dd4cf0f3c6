#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern::detail {

/// Parses a JSON text in memory strictly and allocates nothing: strings are decoded in place.
/// Throws FileError for invalid JSON; the text begins with `context` and the position.
///
/// Only for headers and indexes of safetensors; nlohmann's parser reads all other JSON. For a
/// header of 20,000 tensors nlohmann's parser takes four times as long (31 ms instead of 7), and
/// its copies of long strings exceed the memory that an invalid header may use.
class JsonScanner {
 public:
  static constexpr int kMaxDepth = 100;

  /// `text` must have less than 4 GB and outlive this object and all returned strings.
  JsonScanner(std::string& text, std::string context);

  /// A string in the text. Half the size of a std::string_view, for long lists of strings.
  struct Place {
    std::uint32_t begin, size;
  };
  Place place(std::string_view string) const {
    return {static_cast<std::uint32_t>(string.data() - begin_),
            static_cast<std::uint32_t>(string.size())};
  }
  std::string_view text(Place place) const { return {begin_ + place.begin, place.size}; }

  /// Returns the kind of the next value, such as "an object" or "a negative number".
  const char* kind() const;
  /// Returns true if `first` is the next character.
  bool at(char first) const { return next_ != end_ && *next_ == first; }
  /// Reads the next value, a string, and returns it decoded.
  std::string_view string();
  /// Reads the next value, a number, and returns its text.
  std::string_view number();
  /// Skips the next value, which is a string, a number or a word.
  void scalar();
  /// Skips the next value of any kind. Calls `too_deep`, which must throw, if lists and objects are
  /// nested in more than `levels` levels.
  template <class TooDeep>
  void skip(const TooDeep& too_deep, int levels = kMaxDepth) {
    if (!at('{') && !at('[')) return scalar();
    if (levels == 0) too_deep();
    if (at('{')) {
      object([&](std::string_view) { skip(too_deep, levels - 1); });
    } else {
      list([&] { skip(too_deep, levels - 1); });
    }
  }
  /// Reads the next value, an object. Calls `member(key)` for each key; `member` must read the
  /// value.
  template <class Member>
  void object(const Member& member) {
    sequence('{', '}', [&] {
      const std::string_view key = string();
      expect(':');
      member(key);
    });
  }
  /// Reads the next value, a list. Calls `element()` for each element, which must read it.
  template <class Element>
  void list(const Element& element) {
    sequence('[', ']', element);
  }
  /// Throws unless the text ends at the current position.
  void end() const;

  /// Returns the position of the next value in the text, for seek().
  std::size_t position() const { return static_cast<std::size_t>(next_ - begin_); }
  void seek(std::size_t position) { next_ = begin_ + position; }

 private:
  template <class Element>
  void sequence(char open, char close, const Element& element) {
    expect(open);
    if (at(close)) return expect(close);
    for (element(); at(','); element()) expect(',');
    expect(close);
  }
  void expect(char c);
  void word(std::string_view word);
  void skip_space();
  void digits();
  /// Decodes an escape such as \n and writes the character to `out`.
  void escape(char*& out);
  unsigned hex();
  [[noreturn]] void fail(const char* place, const std::string& what) const;

  const std::string context_;
  char* const begin_;
  char* const end_;
  char* next_;
};

}  // namespace tern::detail
