#include <tern/serialization/file/detail/base64.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include <tern/core/base/error.h>

namespace tern::detail {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kLetters[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::string base64_decode(std::string_view text) {
  TERN_CHECK(text.size() % 4 == 0, Error, "base64: the length must be a multiple of 4, got ",
             text.size());
  const std::size_t size = text.size();
  std::size_t padding = 0;
  while (padding < 2 && padding < size && text[size - 1 - padding] == '=') ++padding;
  std::string bytes;
  bytes.reserve(size / 4 * 3);
  for (std::size_t i = 0; i < size; i += 4) {
    std::uint32_t group = 0;
    for (std::size_t k = i; k < i + 4; ++k) {
      const int value = k < size - padding ? kValues[static_cast<unsigned char>(text[k])] : 0;
      TERN_CHECK(value >= 0, Error, "base64: the letter at position ", k,
                 " is outside the alphabet");
      group = group << 6 | static_cast<std::uint32_t>(value);
    }
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 255);
  }
  for (; padding > 0; --padding) {
    TERN_CHECK(bytes.back() == 0, Error, "base64: the last letter has extra bits, which must be 0");
    bytes.pop_back();
  }
  return bytes;
}

}  // namespace tern::detail
