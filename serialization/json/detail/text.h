#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace tern::detail {

/// The size of a buffer for one number. The longest is -2.2250738585072014e-308.
constexpr std::size_t kMaxNumberText = 32;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the kind of the JSON value that begins with `first`, for error texts; null if none does.
const char* value_kind(char first);

/// Writes the shortest decimal that reads back to the same bits. Floating numbers get a point or an
/// exponent, so that no reader takes them for integers. `value` must be finite. Returns the end of
/// the text.
template <class T>
char* write_number(char* at, T value) {
  char* const end = std::to_chars(at, at + kMaxNumberText, value).ptr;
  if constexpr (std::floating_point<T>) {
    for (const char* c = at; c != end; ++c) {
      if (*c == '.' || *c == 'e') return end;
    }
    end[0] = '.';
    end[1] = '0';
    return end + 2;
  }
  return end;
}

/// Returns the text for NaN and infinities, which JSON does not have.
template <std::floating_point T>
constexpr std::string_view non_finite_word(T value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/// Returns the size in bytes of the UTF-8 character at `at`, or 0 for ill-formed UTF-8.
std::size_t utf8_size(const char* at, const char* end);

/// Returns `text` as a JSON string. Throws Error if the text is not UTF-8.
std::string quote_json(std::string_view text);

/// Returns the message of an error of nlohmann's parser without its position, because the parser
/// does not see the whole file.
std::string parse_error_text(std::string_view what);

/// Returns the first 200 bytes of a name with '?' for control characters, for error texts.
std::string shown_name(std::string_view name);

}  // namespace tern::detail
