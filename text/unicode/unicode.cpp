#include <tern/text/detail/unicode.h>

#include <utf8proc.h>

#include <array>

#include <tern/text/unicode/detail/ranges.h>

namespace tern::text {
namespace {

utf8proc_category_t category_of(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

bool is_between(utf8proc_category_t category, utf8proc_category_t low, utf8proc_category_t high) {
  return category >= low && category <= high;
}

bool is_letter_category(utf8proc_category_t category) {
  return is_between(category, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}
bool is_mark_category(utf8proc_category_t category) {
  return is_between(category, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);
}
bool is_number_category(utf8proc_category_t category) {
  return is_between(category, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

Kind find_kind(char32_t code) {
  const utf8proc_category_t category = category_of(code);
  if (is_letter_category(category)) return Kind::kLetter;
  if (is_number_category(category)) return Kind::kNumber;
  if (is_space(code)) return Kind::kSpace;
  if (category != UTF8PROC_CATEGORY_CN) return Kind::kOther;
  if (is_new_letter(code)) return Kind::kLetter;
  return is_new_number(code) ? Kind::kNumber : Kind::kOther;
}

/// The kinds of the characters below U+3000, where most alphabets are.
constexpr char32_t kTableSize = 0x3000;
std::array<Kind, kTableSize> make_kinds() {
  std::array<Kind, kTableSize> kinds;
  for (char32_t code = 0; code < kTableSize; ++code) kinds[code] = find_kind(code);
  return kinds;
}

}  // namespace

Kind kind_beyond_ascii(char32_t code) {
  static const std::array<Kind, kTableSize> kinds = make_kinds();
  return code < kTableSize ? kinds[code] : find_kind(code);
}

bool is_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= 9 && code <= 13);
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Unicode 17 has 13 more.
bool is_numeric(char32_t code) {
  return kind_of(code) == Kind::kNumber || (code >= 0x11DE0 && code <= 0x11DE9) ||
         (code >= 0x16FF4 && code <= 0x16FF6);
}

bool is_word(char32_t code) {
  if (kind_of(code) == Kind::kLetter || code == 0x200C || code == 0x200D) return true;
  const utf8proc_category_t category = category_of(code);
  return is_mark_category(category) || category == UTF8PROC_CATEGORY_ND ||
         category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_PC ||
         is_more_of_words(code);
}

bool is_punctuation(char32_t code) {
  if (code < 0x80) {
    return code > ' ' && code < 0x7F && kind_of(code) != Kind::kLetter &&
           kind_of(code) != Kind::kNumber;
  }
  if (code == 0x166D || code == 0x111C9) return true;  // it was in Unicode 8
  return is_between(category_of(code), UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_PO) &&
         !is_after_unicode_8(code);
}

bool is_control(char32_t code) {
  if (code < 0x80) return (code < ' ' && code != 9 && code != 10 && code != 13) || code == 0x7F;
  return is_between(category_of(code), UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_CO) &&
         !is_after_unicode_8(code);
}

bool is_nonspacing_mark(char32_t code) {
  if (code < 0x300) return false;
  return (category_of(code) == UTF8PROC_CATEGORY_MN && !is_after_unicode_8(code)) || code == 0x1734;
}

bool is_mark(char32_t code) {
  if (code < 0x300) return false;
  return (is_mark_category(category_of(code)) && !is_mark_after_unicode_9(code)) ||
         code == 0x1CF2 || code == 0x1CF3;
}

bool is_cjk(char32_t code) {
  static constexpr Range kIdeographs[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},  {0x20000, 0x2A6DF},
      {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return code >= 0x3400 && is_in_ranges(code, kIdeographs);
}

char32_t lower_of(char32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  const auto lower = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code)));
  if (lower != code || category_of(code) != UTF8PROC_CATEGORY_CN) return lower;
  // Assigned since Unicode 15.
  if (code >= 0x10D50 && code <= 0x10D65) return code + 32;
  if (code >= 0x16EA0 && code <= 0x16EB8) return code + 27;
  switch (code) {
    case 0xA7CB:
      return 0x264;
    case 0xA7DC:
      return 0x19B;
    case 0x1C89:
    case 0xA7CC:
    case 0xA7CE:
    case 0xA7D2:
    case 0xA7D4:
    case 0xA7DA:
      return code + 1;
    default:
      return code;
  }
}

}  // namespace tern::text
