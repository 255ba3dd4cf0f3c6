#include <tern/serialization/json/detail/text.h>

#include <algorithm>

#include <tern/core/base/error.h>

namespace tern::detail {

const char* value_kind(char first) {
  switch (first) {
    case '{':
      return "an object";
    case '[':
      return "a list";
    case '"':
      return "a string";
    case 't':
    case 'f':
      return "a bool";
    case 'n':
      return "null";
    default:
      return is_digit(first) || first == '-' ? "a number" : nullptr;
  }
}

std::size_t utf8_size(const char* at, const char* end) {
  const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xC2 ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  if (static_cast<std::size_t>(end - at) < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and codes beyond U+10FFFF are ill-formed.
  const bool is_wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) >= 0xA0) ||
                        (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
  return is_wrong ? 0 : size;
}

std::string quote_json(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kLetters = "btn?fr";  // of the control characters from 8 on
  std::string quoted = "\"";
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    const std::size_t size = utf8_size(at, end);
    TERN_CHECK(size != 0, Error, "the text is not UTF-8: byte ", at - text.data(),
               " is ill-formed, after '", shown_name(text.substr(0, at - text.data())), "'");
    const auto code = static_cast<unsigned char>(*at);
    if (code == '"' || code == '\\') {
      quoted += '\\';
      quoted += *at;
    } else if (code >= 8 && code <= 13 && code != 11) {
      quoted += '\\';
      quoted += kLetters[code - 8u];
    } else if (code < ' ') {
      quoted += "\\u00";
      quoted += kDigits[code >> 4];
      quoted += kDigits[code & 15];
    } else {
      quoted.append(at, size);
    }
    at += size;
  }
  return quoted + '"';
}

std::string parse_error_text(std::string_view what) {
  // The text is "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error
  // ...; last read: 'x'; expected '}'". The last read part may be long and may contain text that
  // the source inserted.
  if (const std::size_t column = what.find("column "); column != std::string_view::npos) {
    what.remove_prefix(std::min(what.size(), what.find(": ", column) + 2));
  }
  std::string text(what);
  if (const std::size_t read = text.find("; last read: '"); read != std::string::npos) {
    const std::size_t expected = text.rfind("; expected ");
    text.erase(read,
               expected == std::string::npos || expected < read ? text.npos : expected - read);
  }
  return text;
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t kMaxShown = 200;
  std::string shown(name.substr(0, kMaxShown));
  if (name.size() > kMaxShown) shown += "...";
  // Names in a file may contain any byte; a NUL would end the error text.
  std::ranges::replace_if(
      shown, [](char c) { return static_cast<unsigned char>(c) < ' '; }, '?');
  return shown;
}

}  // namespace tern::detail
