#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::text {

/// A character of valid UTF-8 and the bytes that it takes.
struct Decoded {
  char32_t code;
  std::uint32_t size;
};

/// Returns true for a byte that begins no character.
inline bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Reads the character at `at` of valid UTF-8.
inline Decoded decode_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> char32_t {
    return static_cast<unsigned char>(text[at + i]);
  };
  const char32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xE0) return {((first & 0x1F) << 6) | (byte(1) & 0x3F), 2};
  if (first < 0xF0) {
    return {((first & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F), 3};
  }
  return {((first & 0x07) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) |
              (byte(3) & 0x3F),
          4};
}

/// Returns the beginning of the character in front of `at`, which is not 0.
inline std::size_t before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && is_continuation(text[at]));
  return at;
}

/// Appends the character to `text`.
void append_utf8(char32_t code, std::string& text);

/// What stands at a place of bytes that may be broken UTF-8.
struct Scanned {
  /// How many bytes: of the character, or of the longest beginning of one.
  std::uint32_t size;
  /// A whole character.
  bool whole;
  /// The text ends inside a character that is right so far.
  bool cut;
};

/// Scans `text` at `at`, which is less than its size.
Scanned scan_utf8(std::string_view text, std::size_t at);

/// Returns the place of the first byte from `at` on that is not part of valid UTF-8; the size if
/// there is none.
std::size_t find_invalid(std::string_view text, std::size_t at = 0);

/// Returns `bytes` with U+FFFD for each broken part.
std::string with_replacements(std::string_view bytes);

inline constexpr char32_t kReplacement = 0xFFFD;

}  // namespace tern::text
