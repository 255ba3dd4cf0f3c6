#include <tern/text/detail/unicode.h>

#include <utf8proc.h>

#include <algorithm>

#include <tern/text/unicode/detail/ranges.h>

namespace tern::text {
namespace {

int combining_class(char32_t code) {
  if (code < 0x300 || is_mark_after_unicode_9(code)) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code))->combining_class;
}

/// Appends the decomposition of one character.
void decompose(char32_t code, bool compatible, std::vector<Change>& to) {
  utf8proc_int32_t parts[32];
  int last_class = UTF8PROC_BOUNDCLASS_START;
  const int options = UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 32,
                              static_cast<utf8proc_option_t>(options), &last_class);
  if (count < 1 || count > 32 || is_decomposed_after_unicode_9(code)) {
    to.push_back({code, 0});
    return;
  }
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    to.push_back({static_cast<char32_t>(parts[i]), i == 0 ? 0 : 1});
  }
}

/// Puts runs of marks into canonical order.
void order(std::vector<Change>& text) {
  const auto is_mark = [](const Change& c) { return combining_class(c.code) != 0; };
  for (auto first = text.begin(); first != text.end();) {
    first = std::find_if(first, text.end(), is_mark);
    const auto last = std::find_if_not(first, text.end(), is_mark);
    if (last - first > 1) {
      std::stable_sort(first, last, [](const Change& a, const Change& b) {
        return combining_class(a.code) < combining_class(b.code);
      });
    }
    first = last;
  }
}

/// Returns the one character that `first` and `second` compose to; 0 if there is none.
char32_t composition(char32_t first, char32_t second) {
  if (second < 0x300) return 0;
  utf8proc_int32_t pair[2] = {static_cast<utf8proc_int32_t>(first),
                              static_cast<utf8proc_int32_t>(second)};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE);
  return utf8proc_normalize_utf32(pair, 2, options) == 1 ? static_cast<char32_t>(pair[0]) : 0;
}

/// Composes in place: each mark with the last starter, unless a mark of its class or above stands
/// between them.
void compose(std::vector<Change>& text) {
  std::size_t out = 0, starter = text.size();
  int last_class = 0;
  for (const Change part : std::vector<Change>(text)) {
    const int own_class = combining_class(part.code);
    if (starter < out && (out == starter + 1 || last_class < own_class)) {
      if (const char32_t composed = composition(text[starter].code, part.code)) {
        text[starter] = {composed, text[starter].change + part.change - 1};
        continue;
      }
    }
    if (own_class == 0) starter = out;
    last_class = own_class;
    text[out++] = part;
  }
  text.resize(out);
}

}  // namespace

std::vector<Change> normal_form(const std::u32string& text, bool composed, bool compatible) {
  std::vector<Change> changed;
  changed.reserve(text.size());
  for (const char32_t code : text) {
    if (code < 0x80) {
      changed.push_back({code, 0});
    } else {
      decompose(code, compatible, changed);
    }
  }
  order(changed);
  if (composed) compose(changed);
  return changed;
}

}  // namespace tern::text
