#include <tern/text/detail/pre_tokenizer.h>

namespace tern::text {
namespace {

bool is_line_end(char32_t code) { return code == '\r' || code == '\n'; }

/// Returns the end of the run of characters of one kind, of at most `limit` of them.
std::size_t run_of(Kind kind, std::string_view text, std::size_t at, std::size_t limit = -1) {
  for (std::size_t count = 0; at < text.size() && count < limit; ++count) {
    const auto [code, size] = decode_at(text, at);
    if (kind_of(code) != kind) break;
    at += size;
  }
  return at;
}

/// Returns the end of 's, 't, 're, 've, 'm, 'll or 'd at `at`; `at` if there is none of them.
std::size_t contraction(std::string_view text, std::size_t at, bool any_case) {
  if (text[at] != '\'') return at;
  const auto letter = [&](std::size_t i) {
    const char c = at + i < text.size() ? text[at + i] : '\0';
    return any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  };
  const char first = letter(1), second = letter(2);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  if ((first == 'r' || first == 'v') && second == 'e') return at + 3;
  if (first == 'l' && second == 'l') return at + 3;
  // The long s is an s of another case.
  if (any_case && text.substr(at + 1, 2) == "\xC5\xBF") return at + 3;
  return at;
}

/// Blanks: all of them at the end of the text, otherwise all but the last one, which begins the
/// next piece; a single one.
std::size_t blanks(std::string_view text, std::size_t at, std::size_t end) {
  if (end == text.size()) return end;
  const std::size_t last = before(text, end);
  return last > at ? last : end;
}

std::size_t scan_gpt2(std::string_view text, std::size_t at) {
  if (const std::size_t end = contraction(text, at, false); end != at) return end;
  std::size_t start = at;
  if (text[at] == ' ' && at + 1 < text.size()) ++start;
  const auto [code, size] = decode_at(text, start);
  const Kind kind = kind_of(code);
  if (kind != Kind::kSpace) return run_of(kind, text, start + size);
  return blanks(text, at, run_of(Kind::kSpace, text, start + size));
}

std::size_t scan_llama3(std::string_view text, std::size_t at, std::size_t digits) {
  if (const std::size_t end = contraction(text, at, true); end != at) return end;
  const auto [code, size] = decode_at(text, at);
  const Kind kind = kind_of(code);
  const std::size_t next = at + size;
  const Decoded after = next < text.size() ? decode_at(text, next) : Decoded{0, 0};
  const bool has_after = after.size > 0;
  if (kind == Kind::kLetter || (kind != Kind::kNumber && !is_line_end(code) && has_after &&
                                kind_of(after.code) == Kind::kLetter)) {
    return run_of(Kind::kLetter, text, next);
  }
  if (kind == Kind::kNumber) return run_of(Kind::kNumber, text, at, digits);
  if (kind == Kind::kOther || (code == ' ' && has_after && kind_of(after.code) == Kind::kOther)) {
    std::size_t end = run_of(Kind::kOther, text, next);
    while (end < text.size() && is_line_end(static_cast<unsigned char>(text[end]))) ++end;
    return end;
  }
  const std::size_t end = run_of(Kind::kSpace, text, at);
  for (std::size_t i = end; i > at; --i) {
    if (is_line_end(static_cast<unsigned char>(text[i - 1]))) return i;
  }
  return blanks(text, at, end);
}

}  // namespace

std::size_t scan(Scanner scanner, std::string_view text, std::size_t at) {
  switch (scanner) {
    case Scanner::kGpt2:
      return scan_gpt2(text, at);
    case Scanner::kLlama3:
      return scan_llama3(text, at, 3);
    case Scanner::kQwen2:
      return scan_llama3(text, at, 1);
  }
  return text.size();
}

std::optional<Scanner> scanner_of(std::string_view expression) {
  struct Known {
    std::string_view expression;
    Scanner scanner;
  };
  static constexpr Known kKnown[] = {
      {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
       Scanner::kGpt2},
      {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
       Scanner::kGpt2},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+)"
       R"([\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       Scanner::kLlama3},
      {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+)"
       R"([\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
       Scanner::kQwen2},
  };
  for (const Known& known : kKnown) {
    if (known.expression == expression) return known.scanner;
  }
  return std::nullopt;
}

}  // namespace tern::text
