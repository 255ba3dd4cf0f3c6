#include <tern/text/detail/added_tokens.h>

#include <algorithm>

namespace tern::text {
namespace {

std::size_t total_size(const std::vector<std::string>& strings) {
  std::size_t total = 0;
  for (const std::string& text : strings) total += text.size();
  return total;
}

std::size_t without_blanks_before(std::string_view text, std::size_t at) {
  while (at > 0) {
    const std::size_t last = before(text, at);
    if (!is_space(decode_at(text, last).code)) break;
    at = last;
  }
  return at;
}

std::size_t behind_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const auto [code, size] = decode_at(text, at);
    if (!is_space(code)) break;
    at += size;
  }
  return at;
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word(decode_at(text, before(text, begin)).code)) &&
         (end == text.size() || !is_word(decode_at(text, end).code));
}

}  // namespace

Trie::Trie(const std::vector<std::string>& strings)
    : children_(total_size(strings)), ends_(1, kNoId) {
  for (std::uint32_t i = 0; i < strings.size(); ++i) {
    std::uint32_t node = 0;
    for (const char c : strings[i]) {
      const auto byte = static_cast<unsigned char>(c);
      std::uint32_t child = children_.find(node, byte).id;
      if (child == kNoId) {
        child = static_cast<std::uint32_t>(ends_.size());
        children_.set(node, byte, {0, child});
        ends_.push_back(kNoId);
      }
      node = child;
    }
    if (!strings[i].empty()) begins_[static_cast<unsigned char>(strings[i][0])] = true;
    if (ends_[node] == kNoId) ends_[node] = i;
  }
}

Trie::Match Trie::longest(std::string_view text, std::size_t at) const {
  Match match{0, 0};
  std::uint32_t node = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    node = children_.find(node, static_cast<unsigned char>(text[i])).id;
    if (node == kNoId) break;
    if (ends_[node] != kNoId) match = {ends_[node], i + 1 - at};
  }
  return match;
}

AddedTokens::AddedTokens(std::vector<AddedToken> tokens, const std::vector<Normalizer>& normalizers)
    : tokens_(std::move(tokens)) {
  std::vector<std::string> contents[2];
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    AddedToken& token = tokens_[i];
    by_id_[token.id] = i;
    by_content_[token.content] = i;
    AlignedText text(token.content, 0);
    if (token.normalized) normalize(normalizers, text);
    token.text = text.view();
    if (token.text.empty()) continue;
    contents[token.normalized].push_back(token.text);
    groups_[token.normalized].tokens.push_back(i);
  }
  for (int i = 0; i < 2; ++i) groups_[i].trie = Trie(contents[i]);
}

const AddedToken* AddedTokens::find(std::uint32_t id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

const AddedToken* AddedTokens::find(std::string_view content) const {
  const auto found = by_content_.find(std::string(content));
  return found == by_content_.end() ? nullptr : &tokens_[found->second];
}

std::vector<CutPart> AddedTokens::cut(std::string_view text, bool normalized,
                                      bool parse_special) const {
  const auto& [trie, indices] = groups_[normalized];
  std::vector<CutPart> parts;
  const auto put = [&](std::size_t begin, std::size_t end, std::uint32_t id) {
    if (begin < end) {
      parts.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}, id});
    }
  };
  std::size_t done = 0;
  for (std::size_t at = 0; !trie.empty() && at < text.size();) {
    const Trie::Match match = trie.may_begin(text[at]) ? trie.longest(text, at) : Trie::Match{0, 0};
    if (match.size == 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[indices[match.index]];
    std::size_t begin = at, end = at + match.size;
    at = end;
    if (token.special && !parse_special) continue;
    if (token.single_word && !is_single_word(text, begin, end)) continue;
    if (token.lstrip) begin = std::max(without_blanks_before(text, begin), done);
    if (token.rstrip) at = end = behind_blanks(text, end);
    put(done, begin, kNoId);
    put(begin, end, token.id);
    done = end;
  }
  put(done, text.size(), kNoId);
  return parts;
}

}  // namespace tern::text
