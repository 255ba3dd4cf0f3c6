#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/text/detail/added_tokens.h>
#include <tern/text/detail/model.h>
#include <tern/text/detail/normalizer.h>
#include <tern/text/detail/pre_tokenizer.h>
#include <tern/text/detail/sentence_pieces.h>
#include <tern/text/encoding.h>

namespace tern::text {

/// A part of the form of an encoding: one of the texts, or tokens that are added.
struct TemplatePart {
  /// 0 or 1 for a text, -1 for tokens.
  int sequence = -1;
  std::int64_t type_id = 0;
  std::vector<std::uint32_t> ids;
  std::vector<std::string> tokens;
};

/// What is done with the tokens of the texts.
struct PostProcessor {
  /// Offsets leave out blanks, but for the first one if it may be the one that was added.
  bool trim_offsets = false, add_prefix_space = false;
  /// The forms of one text and of two; without them the texts stand behind each other.
  bool has_template = false;
  std::vector<TemplatePart> single, pair;
};

/// A step from tokens to their text.
struct Decoder {
  enum class Kind {
    kByteLevel,
    kWordPiece,
    kMetaspace,
    kFuse,
    kReplace,
    kStrip,
    kByteFallback,
    kBpe
  };
  Kind kind;
  /// kWordPiece: the prefix of continuations. kMetaspace: what stands for a blank. kReplace: what
  /// is replaced. kBpe: the suffix that ends a word. kStrip: the character.
  std::string pattern;
  /// kReplace.
  std::string content;
  /// kWordPiece: removes blanks in front of punctuation. kMetaspace: drops the first blank.
  bool flag = true;
  /// kStrip: at most so many at the beginning, and at the end.
  std::size_t start = 0, stop = 0;
};

/// Returns the text of tokens.
std::string decode(const std::vector<Decoder>& steps, std::vector<std::string> tokens);

/// The tokens of one text.
struct Sequence {
  std::vector<std::uint32_t> ids;
  std::vector<Span> spans;  // in the input; not always filled
};

/// What a tokenizer consists of. Constant once it is made.
struct Pipeline {
  Pipeline() = default;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  Vocabulary vocabulary;
  AddedTokens added;
  std::vector<Normalizer> normalizers;
  std::vector<PreTokenizer> pre_tokenizers;
  std::unique_ptr<Model> model;
  /// In place of normalizers, pre-tokenizers, the model and decoders, or null.
  std::unique_ptr<SentencePieces> pieces;
  PostProcessor post_processor;
  std::vector<Decoder> decoders;
  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
  mutable CachePool caches;

  /// Encodes a text, with the origin of each token if `spans` is true.
  Sequence encode(std::string_view text, bool parse_special, bool spans) const;
  /// Returns true for a token that decode() may skip.
  bool is_special(std::uint32_t id) const;
  /// Returns true for a token that `pieces` makes a text of.
  bool is_piece(std::uint32_t id) const { return id < pieces->size() && !added.find(id); }
  /// Returns a token as the vocabulary writes it, if there is one of this id.
  std::optional<std::string_view> token(std::uint32_t id) const;
  /// Returns the id of a token, or kNoId.
  std::uint32_t id(std::string_view token) const;
};

}  // namespace tern::text
