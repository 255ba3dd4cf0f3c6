#include <algorithm>
#include <functional>

#include <tern/core/base/detail/libtorch.h>
#include <tern/core/base/error.h>
#include <tern/core/base/missing_key.h>

namespace tern::detail {
namespace {

constexpr std::size_t kMostKeys = 10, kNearestKeys = 5, kMostBytes = 120;

/// Returns the number of bytes at the beginning and at the end that both keys have.
std::size_t likeness(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0, end = 0;
  while (begin < shorter && a[begin] == b[begin]) ++begin;
  while (begin + end < shorter && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return begin + end;
}

/// Returns a key in quotes, in one line: control characters become spaces, and the end of a long
/// key is cut off, because keys may come from a damaged file.
std::string shown(std::string_view key) {
  const bool is_long = key.size() > kMostBytes;
  std::string text(key.substr(0, kMostBytes));
  while (is_long && !text.empty() && (text.back() & 0x80) != 0) text.pop_back();  // of UTF-8
  for (char& c : text) c = c >= 0 && c < ' ' ? ' ' : c;
  return "'" + text + (is_long ? "...'" : "'");
}

}  // namespace

std::string text_of_keys(std::string_view missing, const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> named = keys;
  std::string text = "the keys are: ";
  if (keys.size() > kMostKeys) {
    std::ranges::stable_sort(named, std::greater(),
                             [&](std::string_view key) { return likeness(key, missing); });
    named.resize(kNearestKeys);
    text = "the nearest of " + std::to_string(keys.size()) + " keys are: ";
  }
  for (std::size_t i = 0; i < named.size(); ++i) text += (i == 0 ? "" : ", ") + shown(named[i]);
  return named.empty() ? text + "none" : text;
}

void missing_key_error(std::string_view kind, std::string_view key,
                       const std::vector<std::string_view>& keys) {
  raise<IndexError>(kind, " ", shown(key), " is not defined",
                    as_libtorch ? "" : "; " + text_of_keys(key, keys));
}

}  // namespace tern::detail
