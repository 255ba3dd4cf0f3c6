#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tern::text {

/// Characters from `low` to `high`.
struct Range {
  std::uint32_t low, high;
};

template <std::size_t kCount>
bool is_in_ranges(char32_t code, const Range (&ranges)[kCount]) {
  const Range* const range = std::ranges::lower_bound(ranges, code, {}, &Range::high);
  return range != std::end(ranges) && range->low <= code;
}

/// Where libutf8proc's version of Unicode and those of the reference differ.
bool is_new_letter(char32_t code);
bool is_new_number(char32_t code);
bool is_more_of_words(char32_t code);
bool is_after_unicode_8(char32_t code);
bool is_mark_after_unicode_9(char32_t code);
bool is_decomposed_after_unicode_9(char32_t code);

}  // namespace tern::text
