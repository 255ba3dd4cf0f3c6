#include <tern/serialization/detail/json_text.h>

#include <nlohmann/json.hpp>

#include <tern/core/base/error.h>

namespace tern::detail {

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
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
  const std::size_t column = what.find("column ");
  const std::size_t colon = what.find(": ", column == std::string_view::npos ? 0 : column);
  return std::string(colon == std::string_view::npos ? what : what.substr(colon + 2));
}

}  // namespace tern::detail
