#include <tern/serialization/safetensors/detail/json_scanner.h>

#include <algorithm>
#include <cstring>

#include <tern/core/base/error.h>
#include <tern/serialization/json/detail/text.h>

namespace tern::detail {
namespace {

char* write_utf8(char* out, unsigned code) {
  const auto put = [&out](unsigned byte) { *out++ = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
  return out;
}

}  // namespace

JsonScanner::JsonScanner(std::string& text, std::string context)
    : context_(std::move(context)), begin_(text.data()), end_(begin_ + text.size()), next_(begin_) {
  if (text.starts_with("\xef\xbb\xbf")) fail(begin_, "unexpected byte order mark");
  if (const std::size_t nul = text.find('\0'); nul != text.npos)
    fail(begin_ + nul, "unexpected NUL byte");
  skip_space();
}

const char* JsonScanner::kind() const {
  if (next_ == end_) fail(next_, "expected a value, found the end of the text");
  const char* const kind = value_kind(*next_);
  if (kind == nullptr) fail(next_, "expected a value");
  return at('-') ? "a negative number" : kind;
}

std::string_view JsonScanner::string() {
  if (!at('"')) fail(next_, "expected a string");
  char* const begin = ++next_;
  char* out = begin;
  while (!at('"')) {
    if (next_ == end_) fail(begin, "a string has no end");
    if (*next_ == '\\') {
      escape(out);
      continue;
    }
    const std::size_t size = utf8_size(next_, end_);
    if (size == 0) fail(next_, "invalid string: ill-formed UTF-8");
    if (static_cast<unsigned char>(*next_) < ' ')
      fail(next_, "invalid string: a control character");
    if (out != next_) std::memmove(out, next_, size);
    out += size;
    next_ += size;
  }
  ++next_;
  skip_space();
  return {begin, static_cast<std::size_t>(out - begin)};
}

void JsonScanner::escape(char*& out) {
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
  const char* const place = next_++;
  if (!at('u')) {
    const std::size_t letter = next_ == end_ ? kLetters.npos : kLetters.find(*next_);
    if (letter == kLetters.npos) fail(place, "invalid string: an unknown escape");
    *out++ = kMeaning[letter];
    ++next_;
    return;
  }
  unsigned code = hex();
  if (code >= 0xD800 && code < 0xE000) {
    const bool has_second =
        code < 0xDC00 && end_ - next_ >= 2 && next_[0] == '\\' && next_[1] == 'u';
    const unsigned second = has_second ? (++next_, hex()) : 0;
    if (second < 0xDC00 || second >= 0xE000) fail(place, "invalid string: half a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
  }
  out = write_utf8(out, code);
}

/// Reads the u and the four hexadecimal digits of an escape.
unsigned JsonScanner::hex() {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  unsigned value = 0;
  ++next_;
  for (int i = 0; i < 4; ++i, ++next_) {
    const std::size_t digit = next_ == end_ ? kDigits.npos : kDigits.find(*next_);
    if (digit == kDigits.npos) fail(next_, "invalid string: expected four hexadecimal digits");
    value = value << 4 | static_cast<unsigned>(digit < 16 ? digit : digit - 6);
  }
  return value;
}

std::string_view JsonScanner::number() {
  const char* const begin = next_;
  if (at('-')) ++next_;
  if (at('0')) {
    ++next_;
  } else {
    digits();
  }
  if (at('.')) {
    ++next_;
    digits();
  }
  if (at('e') || at('E')) {
    ++next_;
    if (at('+') || at('-')) ++next_;
    digits();
  }
  const std::string_view text(begin, static_cast<std::size_t>(next_ - begin));
  skip_space();
  return text;
}

void JsonScanner::digits() {
  if (next_ == end_ || !is_digit(*next_)) fail(next_, "expected a digit");
  next_ = std::find_if_not(next_, end_, is_digit);
}

void JsonScanner::scalar() {
  if (at('"')) {
    string();
  } else if (at('t')) {
    word("true");
  } else if (at('f')) {
    word("false");
  } else if (at('n')) {
    word("null");
  } else {
    number();
  }
}

void JsonScanner::end() const {
  if (next_ != end_) fail(next_, "unexpected text after the value");
}

void JsonScanner::expect(char c) {
  if (!at(c)) fail(next_, std::string("expected '") + c + '\'');
  ++next_;
  skip_space();
}

void JsonScanner::word(std::string_view word) {
  if (!std::string_view(next_, static_cast<std::size_t>(end_ - next_)).starts_with(word)) {
    fail(next_, "expected " + std::string(word));
  }
  next_ += word.size();
  skip_space();
}

void JsonScanner::skip_space() {
  while (at(' ') || at('\t') || at('\n') || at('\r')) ++next_;
}

void JsonScanner::fail(const char* place, const std::string& what) const {
  raise<FileError>(context_, "byte ", place - begin_, ": ", what);
}

}  // namespace tern::detail
