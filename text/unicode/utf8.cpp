#include <cstring>

#include <tern/text/detail/utf8.h>

namespace tern::text {

void append_utf8(char32_t code, std::string& text) {
  const auto put = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// The second byte has a narrower range where more would be a longer form than needed, a surrogate,
// or above U+10FFFF.
Scanned scan_utf8(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {1, true, false};
  if (first < 0xC2 || first > 0xF4) return {1, false, false};
  const std::uint32_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (std::uint32_t i = 1; i < size; ++i) {
    if (at + i == text.size()) return {i, false, true};
    const auto next = static_cast<unsigned char>(text[at + i]);
    if (next < low || next > high) return {i, false, false};
    low = 0x80;
    high = 0xBF;
  }
  return {size, true, false};
}

std::size_t find_invalid(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    std::uint64_t eight;
    if (at + sizeof eight <= text.size()) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const Scanned scanned = scan_utf8(text, at);
    if (!scanned.whole) return at;
    at += scanned.size;
  }
  return text.size();
}

std::string with_replacements(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t invalid = find_invalid(bytes, at);
    text.append(bytes.substr(at, invalid - at));
    if (invalid == bytes.size()) break;
    append_utf8(kReplacement, text);
    at = invalid + scan_utf8(bytes, invalid).size;
  }
  return text;
}

}  // namespace tern::text
