#include <tern/core/base/detail/read_text.h>

#include <algorithm>

namespace tern::detail {

bool is_utf16(std::string_view head) {
  if (head.starts_with("\xff\xfe") || head.starts_with("\xfe\xff")) return true;
  const auto is_ascii = [](char c) { return ('\t' <= c && c <= '\r') || (' ' <= c && c < '\x7f'); };
  const auto is_two_letters = [&](int letter, int zero) {  // from these bytes on
    return is_ascii(head[letter]) && head[zero] == '\0' && is_ascii(head[letter + 2]) &&
           head[zero + 2] == '\0';
  };
  return head.size() >= 4 && (is_two_letters(0, 1) || is_two_letters(1, 0));
}

bool is_below_one(std::string_view decimal) {
  const std::size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::size_t point = std::min(decimal.find('.'), e);
  const std::size_t first = std::min(decimal.find_first_of("123456789"), e);
  // The power of ten of the first significant digit.
  const auto power = static_cast<long>(point) - static_cast<long>(first) - (first < point ? 1 : 0);
  const char* at = decimal.data() + std::min(e + 1, decimal.size());
  const char* const end = decimal.data() + decimal.size();
  if (at != end && *at == '+') ++at;
  long exponent = 0;
  const auto [stop, error] = std::from_chars(at, end, exponent);
  if (error == std::errc::result_out_of_range) return *at == '-';
  return exponent < -power;
}

}  // namespace tern::detail
