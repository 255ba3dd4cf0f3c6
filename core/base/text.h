#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include <tern/core/base/visibility.h>

// Messages are joined without <sstream>: its declarations would cost every file that includes this
// header, and its formatting code would cost every message.
namespace tern::detail {

/// One part of a message: a text, a number, or a value with operator<<. Holds a reference to the
/// value, which must outlive the part.
class TextPart {
 public:
  TextPart(char character) : kind_(Kind::kCharacter), signed_(character) {}
  TextPart(const char* text) : TextPart(std::string_view(text)) {}
  TextPart(const std::string& text) : TextPart(std::string_view(text)) {}
  TextPart(std::string_view text) : kind_(Kind::kText), size_(text.size()), object_(text.data()) {}
  template <std::signed_integral T>
  TextPart(T number) : kind_(Kind::kSigned), signed_(number) {}
  template <std::unsigned_integral T>
  TextPart(T number) : kind_(Kind::kUnsigned), unsigned_(number) {}
  template <std::floating_point T>
  TextPart(T number) : kind_(Kind::kFloating), floating_(static_cast<double>(number)) {}
  template <class T>
  requires(!std::is_arithmetic_v<T> && !std::is_convertible_v<const T&, std::string_view>)
      TextPart(const T& value)
      : kind_(Kind::kPrinted), print_(&print<T>), object_(&value) {}

  /// Appends the text that operator<< would print.
  TERN_API void append_to(std::string& text) const;

 private:
  enum class Kind { kText, kCharacter, kSigned, kUnsigned, kFloating, kPrinted };

  template <class T>
  static void print(std::ostream& out, const void* value) {
    out << *static_cast<const T*>(value);
  }

  Kind kind_;
  union {
    std::size_t size_;
    std::int64_t signed_;
    std::uint64_t unsigned_;
    double floating_;
    void (*print_)(std::ostream&, const void*);
  };
  const void* object_ = nullptr;
};

/// Returns the parts as one text.
TERN_API std::string join(std::initializer_list<TextPart> parts);

/// Returns the values as one text.
template <class... Parts>
std::string text_of(const Parts&... parts) {
  return join({TextPart(parts)...});
}

/// Prints `text`. For headers that only declare std::ostream.
TERN_API std::ostream& print_text(std::ostream& out, std::string_view text);

}  // namespace tern::detail
