#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern::text {

/// What the scanners of words ask: the categories L* and N*, and White_Space.
enum class Kind : std::uint8_t { kOther, kLetter, kNumber, kSpace };

/// Returns the kind of a character in Unicode 16, also with an older libutf8proc.
Kind kind_beyond_ascii(char32_t code);
inline Kind kind_of(char32_t code) {
  if (code >= 0x80) return kind_beyond_ascii(code);
  if ((code | 0x20) >= 'a' && (code | 0x20) <= 'z') return Kind::kLetter;
  if (code >= '0' && code <= '9') return Kind::kNumber;
  return code == ' ' || (code >= 9 && code <= 13) ? Kind::kSpace : Kind::kOther;
}

/// The property White_Space, which 25 characters have.
bool is_space(char32_t code);
/// The categories N*.
bool is_numeric(char32_t code);
/// `\w` of regular expressions: letters, marks, decimal numbers, connectors, joiners.
bool is_word(char32_t code);
/// ASCII's punctuation and symbols, and the categories P* of Unicode 8.
bool is_punctuation(char32_t code);
/// The categories Cc, Cf, Co and Cs, but for tab, line feed and carriage return.
bool is_control(char32_t code);
/// The category Mn of Unicode 8.
bool is_nonspacing_mark(char32_t code);
/// The categories M* of Unicode 9.
bool is_mark(char32_t code);
/// Ideographs, which BERT puts blanks around.
bool is_cjk(char32_t code);

/// Returns the lower case of `code`; U+0130 has two characters, see to_lower() of a text.
char32_t lower_of(char32_t code);

/// A character of a changed text. `change` says how it is related to the text before: 0 replaces
/// one character, 1 adds this one, -n replaces one character and removes n behind it.
struct Change {
  char32_t code;
  std::int32_t change;
};

/// Returns `text` in a normal form of Unicode 9 (Unicode Standard Annex #15), composed or
/// decomposed, with the canonical mappings or with those of compatibility, too.
std::vector<Change> normal_form(const std::u32string& text, bool composed, bool compatible);

}  // namespace tern::text
