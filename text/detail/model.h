#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tern/text/detail/vocabulary.h>

namespace tern::text {

/// A token of a piece and how many bytes of it it stands for.
struct PieceToken {
  std::uint32_t id, size;
};

/// What makes tokens of a piece.
class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model();
  /// Appends the tokens of a piece that is not empty.
  virtual void encode(std::string_view piece, std::vector<PieceToken>& to) const = 0;
};

/// Byte pairs.
struct BpeOptions {
  /// The vocabulary is written in byte characters: a piece is a sequence of bytes.
  bool byte_level = true;
  /// A piece that is in the vocabulary is one token, whatever the merges are.
  bool ignore_merges = false;
  /// Joins unknown characters that follow each other.
  bool fuse_unk = false;
  /// An unknown character is the tokens "<0x00>" of its bytes.
  bool byte_fallback = false;
  /// The token of unknown characters; without it they are dropped.
  std::uint32_t unk = kNoId;
  /// In front of characters that do not begin a piece; behind the one that ends it.
  std::string prefix, suffix;
};

/// Two tokens that join, and what they join to.
struct Merge {
  std::uint32_t first, second, id;
};

/// Makes the model; `merges` come in the order of their ranks. `vocabulary` must outlive it.
std::unique_ptr<Model> make_bpe(const Vocabulary& vocabulary, const std::vector<Merge>& merges,
                                const BpeOptions& options);

/// Makes BERT's model: the longest beginning that the vocabulary has, then the longest
/// continuation, written with `prefix`. A piece that has no such tokens, or more than
/// `max_characters`, is one token `unk`. `vocabulary` must outlive it.
std::unique_ptr<Model> make_word_piece(const Vocabulary& vocabulary, std::uint32_t unk,
                                       std::string prefix, std::size_t max_characters);

/// Returns the bytes that a token in byte characters stands for; nothing if it has other
/// characters.
std::optional<std::string> bytes_of_characters(std::string_view token);
/// Returns the character of a byte.
char32_t character_of_byte(unsigned char byte);

/// The tokens of words that came before. It keeps the last word of each hash.
class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 22, kMaxTokens = 8;
  WordCache();
  /// Appends the tokens of a word; returns false if it does not have them.
  bool find(std::string_view word, std::vector<PieceToken>& to) const;
  /// Keeps the tokens of a word, unless it is too long.
  void put(std::string_view word, const PieceToken* tokens, std::size_t count);

 private:
  struct Slot {
    std::array<std::uint32_t, kMaxTokens> ids;
    std::array<std::uint8_t, kMaxTokens> sizes;
    std::array<char, kMaxBytes> word;
    std::uint8_t size, count;  // no word has the size 0
  };
  static std::size_t slot_of(std::string_view word);

  static constexpr std::size_t kSlots = 1 << 14;
  // Zeros from the system: a short text touches a few pages of the 1 MB.
  struct Free {
    void operator()(Slot* slots) const { std::free(slots); }
  };
  std::unique_ptr<Slot[], Free> slots_;
};

/// The caches of a tokenizer: one for each thread that encodes at the moment.
class CachePool {
 public:
  std::unique_ptr<WordCache> take();
  void give_back(std::unique_ptr<WordCache> cache);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<WordCache>> free_;
};

}  // namespace tern::text
