#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tern::train::detail {

/// Returns true for the first byte of a code point in UTF-8.
constexpr bool starts_code_point(char c) { return (c & 0xC0) != 0x80; }

/// Returns the number of code points of a text in UTF-8.
inline std::size_t code_points_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_code_point));
}

}  // namespace tern::train::detail
