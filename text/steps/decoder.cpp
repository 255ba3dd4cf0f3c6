#include <array>

#include <tern/text/detail/pipeline.h>
#include <tern/text/detail/utf8.h>

namespace tern::text {
namespace {

std::string joined(const std::vector<std::string>& tokens, std::string_view between = "") {
  std::string text;
  for (const std::string& token : tokens) {
    if (!between.empty() && &token != &tokens.front()) text += between;
    text += token;
  }
  return text;
}

void replace_all(std::string& text, std::string_view pattern, std::string_view content) {
  std::string changed;
  std::size_t from = 0;
  for (std::size_t at = text.find(pattern); at != text.npos; at = text.find(pattern, from)) {
    changed.append(text, from, at - from).append(content);
    from = at + pattern.size();
  }
  if (from > 0) text = changed.append(text, from);
}

std::string from_byte_characters(const std::vector<std::string>& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += bytes_of_characters(token).value_or(token);
  return with_replacements(bytes);
}

/// Joins continuations, and removes the blanks that English has not.
void run_word_piece(const Decoder& step, std::string& token, bool is_first) {
  if (!is_first) {
    if (!step.pattern.empty() && token.starts_with(step.pattern)) {
      token.erase(0, step.pattern.size());
    } else {
      token.insert(token.begin(), ' ');
    }
  }
  if (!step.flag) return;
  static constexpr std::array<std::string_view, 2> kCleanUps[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [pattern, content] : kCleanUps) replace_all(token, pattern, content);
}

/// Returns the byte of "<0x41>"; -1 for another token.
int byte_of(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
  };
  const int high = digit(token[3]), low = digit(token[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Joins byte tokens in a row; if they are not UTF-8, each of them becomes U+FFFD.
std::vector<std::string> join_bytes(const std::vector<std::string>& tokens) {
  std::vector<std::string> changed;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (find_invalid(bytes) == bytes.size()) {
      changed.push_back(bytes);
    } else {
      changed.insert(changed.end(), bytes.size(), "\xEF\xBF\xBD");
    }
    bytes.clear();
  };
  for (const std::string& token : tokens) {
    if (const int byte = byte_of(token); byte >= 0) {
      bytes.push_back(static_cast<char>(byte));
    } else {
      flush();
      changed.push_back(token);
    }
  }
  flush();
  return changed;
}

void strip(const Decoder& step, std::string& token) {
  const std::string_view unit = step.pattern;
  std::size_t begin = 0, end = token.size();
  for (std::size_t i = 0; i < step.start && token.compare(begin, unit.size(), unit) == 0; ++i) {
    begin += unit.size();
  }
  for (std::size_t i = 0; i < step.stop && end >= begin + unit.size() &&
                          token.compare(end - unit.size(), unit.size(), unit) == 0;
       ++i) {
    end -= unit.size();
  }
  token = token.substr(begin, end - begin);
}

void run_step(const Decoder& step, std::vector<std::string>& tokens) {
  switch (step.kind) {
    case Decoder::Kind::kByteLevel:
      tokens = {from_byte_characters(tokens)};
      return;
    case Decoder::Kind::kFuse:
      tokens = {joined(tokens)};
      return;
    case Decoder::Kind::kByteFallback:
      tokens = join_bytes(tokens);
      return;
    default:
      break;
  }
  for (std::string& token : tokens) {
    const bool is_first = &token == &tokens.front(), is_last = &token == &tokens.back();
    switch (step.kind) {
      case Decoder::Kind::kWordPiece:
        run_word_piece(step, token, is_first);
        break;
      case Decoder::Kind::kMetaspace: {
        const bool drops = is_first && step.flag;
        if (drops)
          replace_all(token, step.pattern, "");
        else
          replace_all(token, step.pattern, " ");
        break;
      }
      case Decoder::Kind::kReplace:
        replace_all(token, step.pattern, step.content);
        break;
      case Decoder::Kind::kStrip:
        strip(step, token);
        break;
      case Decoder::Kind::kBpe:
        replace_all(token, step.pattern, is_last ? "" : " ");
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::string decode(const std::vector<Decoder>& steps, std::vector<std::string> tokens) {
  if (steps.empty()) return joined(tokens, " ");
  for (const Decoder& step : steps) run_step(step, tokens);
  return joined(tokens);
}

}  // namespace tern::text
