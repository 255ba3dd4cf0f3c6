#include <tern/serialization/json/detail/text.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

std::string quote_json(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    raise<Error>(
        "the text is not UTF-8: ",
        nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
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
