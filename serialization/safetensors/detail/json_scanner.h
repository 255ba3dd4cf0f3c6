#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern::detail {

/// Walks over a JSON text in memory, strictly, and needs no memory of its own: strings are decoded
/// where they stand. Throws FileError, `context` and the place in front, for what is no JSON.
///
/// For headers and indexes of safetensors alone; all other JSON is read by nlohmann's parser. Over
/// a header of 20,000 tensors nlohmann's parser takes four times as long (31 ms instead of 7), and
/// its copies of long strings exceed what the refusal of a header may take.
class JsonScanner {
 public:
  static constexpr int kMaxDepth = 100;

  /// `text`, of less than 4 GB, must outlive this object and what it returns.
  JsonScanner(std::string& text, std::string context);

  /// A string in the text: smaller than a view, for those who keep many.
  struct Place {
    std::uint32_t begin, size;
  };
  Place place(std::string_view string) const {
    return {static_cast<std::uint32_t>(string.data() - begin_),
            static_cast<std::uint32_t>(string.size())};
  }
  std::string_view text(Place place) const { return {begin_ + place.begin, place.size}; }

  /// "an object", "a negative number" ...: what stands next.
  const char* kind() const;
  /// Whether it begins so.
  bool at(char first) const { return next_ != end_ && *next_ == first; }
  /// The decoded string that stands next.
  std::string_view string();
  /// The text of the number that stands next.
  std::string_view number();
  /// Goes past the string, number or word that stands next.
  void scalar();
  /// Goes past what stands next, whatever it is; calls `too_deep`, which must throw, when lists and
  /// objects stand in each other in more than `levels`.
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
  /// Calls `member(key)`, which goes past the value, for each of the object that stands next.
  template <class Member>
  void object(const Member& member) {
    sequence('{', '}', [&] {
      const std::string_view key = string();
      expect(':');
      member(key);
    });
  }
  /// The same for the list that stands next.
  template <class Element>
  void list(const Element& element) {
    sequence('[', ']', element);
  }
  /// Throws unless the text ends here.
  void end() const;

  /// Of what stands next, in the text; `seek` goes back there.
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
  /// Past \, writes the character to `out`.
  void escape(char*& out);
  unsigned hex();
  [[noreturn]] void fail(const char* place, const std::string& what) const;

  const std::string context_;
  char* const begin_;
  char* const end_;
  char* next_;
};

}  // namespace tern::detail
