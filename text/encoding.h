#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tern::text {

/// A part of a text: the bytes from `begin` to before `end`.
struct Offset {
  /// The first byte.
  std::size_t begin = 0;
  /// Behind the last byte.
  std::size_t end = 0;
  /// Returns true if both ends are equal.
  friend bool operator==(const Offset&, const Offset&) = default;
};

/// A text as tokens. All lists have one element per token.
struct Encoding {
  /// The ids of the tokens: what a model reads.
  std::vector<std::int64_t> ids;
  /// 0 for the first text, 1 for the second, unless the tokenizer has other numbers for them.
  std::vector<std::int64_t> type_ids;
  /// The tokens as they are written in the vocabulary.
  std::vector<std::string> tokens;
  /// Where each token stems from in its text; 0 to 0 for a token that the tokenizer added. A token
  /// of some bytes of a character has the place of the whole character.
  std::vector<Offset> offsets;
  /// 1 for tokens, 0 for padding.
  std::vector<std::int64_t> attention_mask;
  /// 1 for tokens that the tokenizer added, and padding. 0 for a special token in the text.
  std::vector<std::int64_t> special_tokens_mask;

  /// Returns the number of tokens.
  std::size_t size() const { return ids.size(); }
};

/// How a text is encoded.
struct EncodeOptions {
  /// Adds the tokens that the tokenizer puts around a text, as [CLS] and [SEP].
  bool add_special_tokens = true;
  /// Special tokens that are written in the text, as "<|im_end|>", become those tokens. With false
  /// they are text like any other: for text that is not trusted.
  bool parse_special_tokens = true;
};

/// Which text of a pair truncation shortens.
enum class TruncationStrategy {
  /// The longer one until both are equally long, then both.
  kLongestFirst,
  /// The first one.
  kOnlyFirst,
  /// The second one.
  kOnlySecond
};

/// Shortens encodings.
struct Truncation {
  /// The most tokens, with those that the tokenizer adds.
  std::int64_t max_length = 512;
  /// Which text becomes shorter.
  TruncationStrategy strategy = TruncationStrategy::kLongestFirst;
  /// Removes tokens at the beginning, not at the end.
  bool left = false;
};

/// Lengthens encodings.
struct Padding {
  /// The length; without it that of the longest encoding of the batch.
  std::optional<std::int64_t> length = std::nullopt;
  /// Rounds the length up to a multiple of this number; 0 does not.
  std::int64_t multiple_of = 0;
  /// Puts the padding in front.
  bool left = false;
  /// The id of the padding.
  std::int64_t id = 0;
  /// The type id of the padding.
  std::int64_t type_id = 0;
  /// The token of the padding.
  std::string token = "[PAD]";
};

}  // namespace tern::text
