#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <tern/text/detail/aligned_text.h>
#include <tern/text/detail/normalizer.h>
#include <tern/text/detail/vocabulary.h>

namespace tern::text {

/// A token that is cut out of the text before the model sees it.
struct AddedToken {
  std::string content;
  /// What is looked for: the content, normalised if the text is.
  std::string text;
  std::uint32_t id = kNoId;
  /// Not beside letters; with the blanks in front of it, behind it; in the normalised text.
  bool single_word = false, lstrip = false, rstrip = false, normalized = false;
  /// decode() may skip it, and the text of users may not contain it.
  bool special = false;
};

/// A part of a text: a token, or text if the id is kNoId.
struct CutPart {
  Span span;
  std::uint32_t id;
};

/// Finds the longest of several strings.
class Trie {
 public:
  explicit Trie(const std::vector<std::string>& strings = {});
  struct Match {
    std::size_t index, size;
  };
  /// Returns the longest string at `at`; its size is 0 if there is none.
  Match longest(std::string_view text, std::size_t at) const;
  bool may_begin(char byte) const { return begins_[static_cast<unsigned char>(byte)]; }
  bool empty() const { return ends_.size() == 1; }

 private:
  PairTable children_;               // of a node and a byte
  std::vector<std::uint32_t> ends_;  // the string that ends at each node
  std::array<bool, 256> begins_{};
};

class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(std::vector<AddedToken> tokens, const std::vector<Normalizer>& normalizers);

  const std::vector<AddedToken>& tokens() const { return tokens_; }
  /// Returns the token of an id, or null.
  const AddedToken* find(std::uint32_t id) const;
  const AddedToken* find(std::string_view content) const;
  /// Cuts a text at the tokens that are looked for in the normalised text, or at the others.
  std::vector<CutPart> cut(std::string_view text, bool normalized, bool parse_special) const;

 private:
  struct Group {
    Trie trie;
    std::vector<std::size_t> tokens;
  };
  std::vector<AddedToken> tokens_;
  std::unordered_map<std::uint32_t, std::size_t> by_id_;
  std::unordered_map<std::string, std::size_t> by_content_;
  Group groups_[2];  // of the raw text, of the normalised text
};

}  // namespace tern::text
