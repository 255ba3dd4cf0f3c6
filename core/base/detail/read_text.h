#pragma once

#include <charconv>
#include <concepts>
#include <string_view>
#include <system_error>

namespace tern::detail {

/// Returns true if a text that begins with `head` is in UTF-16, with or without a byte order mark.
bool is_utf16(std::string_view head);

/// Returns true if the absolute value of a decimal such as "-0.01e-400" is less than 1.
bool is_below_one(std::string_view decimal);

/// Parses a number as std::from_chars does, except that a floating number below the range of T is 0
/// with its sign and no error, as in Python.
template <class T>
std::from_chars_result parse_number(const char* first, const char* last, T& value) {
  std::from_chars_result result = std::from_chars(first, last, value);
  if constexpr (std::floating_point<T>) {
    if (result.ec == std::errc::result_out_of_range && is_below_one({first, result.ptr})) {
      value = *first == '-' ? -T(0) : T(0);
      result.ec = std::errc();
    }
  }
  return result;
}

}  // namespace tern::detail
