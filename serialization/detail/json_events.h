#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tern::detail {

/// Receives the events of a JSON text; one that a reader does not override is unexpected. Virtual,
/// so that the parser is compiled once for all small texts.
class JsonEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a bool"); }
  bool number_integer(std::int64_t) override { return unexpected("a negative number"); }
  bool number_unsigned(std::uint64_t) override { return unexpected("a number"); }
  bool number_float(double, const std::string&) override { return unexpected("a floating number"); }
  bool string(std::string&) override { return unexpected("a string"); }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // not in JSON
  bool start_object(std::size_t) override { return unexpected("an object"); }
  bool start_array(std::size_t) override { return unexpected("a list"); }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override;

  /// Throws for what has no place where it stands.
  virtual bool unexpected(const char* found) = 0;
  /// Throws for what is no JSON, found at byte `position`.
  virtual bool syntax_error(std::size_t position, const std::string& what) = 0;
};

/// Hands the whole of `text` to `events`, which throw what is wrong. No recursion, no tree.
void parse_json(std::string_view text, JsonEvents& events);

}  // namespace tern::detail
