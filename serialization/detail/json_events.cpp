#include <tern/serialization/detail/json_events.h>

#include <tern/serialization/detail/json_text.h>

namespace tern::detail {

bool JsonEvents::parse_error(std::size_t position, const std::string&,
                             const nlohmann::json::exception& error) {
  return syntax_error(position, parse_error_text(error.what()));
}

void parse_json(std::string_view text, JsonEvents& events) {
  // The parser would skip the one and take the other for the end.
  if (text.starts_with("\xef\xbb\xbf")) events.syntax_error(0, "a byte order mark");
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) events.syntax_error(nul, "a NUL byte");
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(),
                            static_cast<nlohmann::json_sax<nlohmann::json>*>(&events));
}

}  // namespace tern::detail
