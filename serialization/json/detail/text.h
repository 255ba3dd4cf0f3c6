#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace tern::detail {

/// The longest text of one number: -2.2250738585072014e-308 and some room.
constexpr std::size_t kMaxNumberText = 32;

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the kind of the JSON value that begins with `first`, in words, for errors; null if none
/// does.
const char* value_kind(char first);

/// Writes the shortest decimal that reads back to the same bits. Floating numbers have a point or
/// an exponent, so that no reader takes them for integers. Returns the end; `value` is finite.
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

/// The word for a number that JSON has none for.
template <std::floating_point T>
constexpr std::string_view non_finite_word(T value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/// `text` as a JSON string. Throws Error when it is not UTF-8.
std::string quote_json(std::string_view text);

/// What nlohmann's parser complains about, without its own idea of the place.
std::string parse_error_text(std::string_view what);

/// The start of a name, for errors.
std::string shown_name(std::string_view name);

}  // namespace tern::detail
