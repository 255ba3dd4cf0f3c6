#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tern/core/base/array_ref.h>
#include <tern/core/base/visibility.h>
#include <tern/text/encoding.h>

namespace tern::text {

struct Pipeline;

/// A vocabulary of byte pairs, as GGUF files hold it.
struct BpeVocabulary {
  /// The tokens in byte characters, by id (`tokenizer.ggml.tokens`).
  std::vector<std::string> tokens;
  /// The merges "a b" in the order of their ranks (`tokenizer.ggml.merges`).
  std::vector<std::string> merges;
  /// The type of each token (`tokenizer.ggml.token_type`): 3 for special tokens, 4 for those that
  /// the user defined; or nothing, if all are ordinary ones.
  std::vector<std::int64_t> token_types;
  /// How texts are split (`tokenizer.ggml.pre`): gpt2, llama-bpe, smollm or qwen2.
  std::string pre_tokenizer = "gpt2";
  /// The token in front of each text, if there is one (`bos_token_id`, with `add_bos_token`).
  std::optional<std::int64_t> bos;
  /// The token behind each text, if there is one (`eos_token_id`, with `add_eos_token`).
  std::optional<std::int64_t> eos;
};

/// A vocabulary of SentencePiece, as GGUF files hold it.
struct SentencePieceVocabulary {
  /// The pieces by id (`tokenizer.ggml.tokens`), with U+2581 for blanks.
  std::vector<std::string> tokens;
  /// Their scores (`tokenizer.ggml.scores`): the pair with the best one is joined first.
  std::vector<float> scores;
  /// The type of each piece (`tokenizer.ggml.token_type`): 1 normal, 2 unknown, of which there must
  /// be one, 3 control, 4 user-defined, 5 unused, 6 a byte as "<0x41>".
  std::vector<std::int64_t> token_types;
  /// Puts a blank in front of each text (`tokenizer.ggml.add_space_prefix`).
  bool add_space_prefix = true;
  /// The token in front of each text, if there is one.
  std::optional<std::int64_t> bos;
  /// The token behind each text, if there is one.
  std::optional<std::int64_t> eos;
};

/// What a tokenizer of SentencePiece adds to a text, which its model file does not tell.
struct SentencePieceOptions {
  /// Puts the piece that begins texts, mostly "<s>", in front of each text, if the model has one.
  bool add_bos = false;
  /// Puts the piece that ends texts, mostly "</s>", behind each text, if the model has one.
  bool add_eos = false;
};

/// Makes tokens of texts, and texts of tokens. Copies share the vocabulary. Calls of const members
/// may run on several threads.
///
/// Texts are UTF-8. Each part of a text that is not, the longest beginning of a character or a
/// single byte, counts as U+FFFD.
///
/// Example:
///   const auto tokenizer = tern::text::Tokenizer::from_file("tokenizer.json");
///   const tern::text::Encoding encoding = tokenizer.encode("Hello world");
///   const std::string text = tokenizer.decode(encoding.ids);
class TERN_API Tokenizer {
 public:
  /// Reads tokenizer.json of Hugging Face. Throws FileError, with the file, the key, the rule and
  /// what the file has, for a file that is damaged or contradicts itself, and
  /// NotImplementedError for a step that tern does not have.
  static Tokenizer from_file(const std::string& path);
  /// Reads the text of a tokenizer.json. Errors name it `name`.
  static Tokenizer from_json(std::string_view json, const std::string& name = "tokenizer.json");
  /// Reads tokenizer.json of a folder; without it vocab.json and merges.txt (GPT-2),
  /// tokenizer.model (SentencePiece, with the tokens that tokenizer_config.json names), or
  /// vocab.txt (BERT, in lower case unless tokenizer_config.json has "do_lower_case": false).
  static Tokenizer from_folder(const std::string& folder);
  /// Reads GPT-2's vocab.json and merges.txt.
  static Tokenizer from_bpe_files(const std::string& vocabulary, const std::string& merges);
  /// Reads BERT's vocab.txt, with a token on each line.
  static Tokenizer from_vocabulary_file(const std::string& path, bool lowercase = true);
  /// Reads a model of the library SentencePiece, tokenizer.model. Control pieces, as "<s>", are
  /// special tokens. Throws FileError for a file that is no model, and Error, which names the
  /// Debian package, where tern's plugin for SentencePiece is missing.
  static Tokenizer from_sentence_piece_file(const std::string& path,
                                            const SentencePieceOptions& options = {});
  /// Makes a tokenizer of SentencePiece that joins pairs. Throws as from_sentence_piece_file(), and
  /// Error for lists of different lengths.
  explicit Tokenizer(const SentencePieceVocabulary& vocabulary);
  /// Makes a tokenizer of byte pairs. Throws Error for merges of tokens that there are not, tokens
  /// that are there twice, and lists of different lengths.
  explicit Tokenizer(const BpeVocabulary& vocabulary);

  /// Returns the tokens of a text.
  Encoding encode(std::string_view text, const EncodeOptions& options = {}) const;
  /// Returns the tokens of two texts, one behind the other.
  Encoding encode_pair(std::string_view text, std::string_view pair,
                       const EncodeOptions& options = {}) const;
  /// Returns the tokens of several texts, with padding to one length if padding is on.
  std::vector<Encoding> encode_batch(const std::vector<std::string>& texts,
                                     const EncodeOptions& options = {}) const;
  /// Returns the ids of encode(), without the other lists: quicker.
  std::vector<std::int64_t> encode_ids(std::string_view text,
                                       const EncodeOptions& options = {}) const;

  /// Returns the text of tokens, with U+FFFD for bytes that are not UTF-8. Throws IndexError for
  /// an id that no token has.
  std::string decode(ArrayRef<std::int64_t> ids, bool skip_special_tokens = true) const;

  /// Returns the number of tokens.
  std::size_t vocab_size() const;
  /// Returns the id of a token, as the vocabulary writes it, if there is one.
  std::optional<std::int64_t> token_to_id(std::string_view token) const;
  /// Returns the token of an id, as the vocabulary writes it. Throws IndexError if there is none.
  std::string id_to_token(std::int64_t id) const;
  /// Returns true for a special token.
  bool is_special(std::int64_t id) const;

  /// Sets how encodings are shortened, or that they are not. A file may have set it.
  void set_truncation(std::optional<Truncation> truncation);
  /// Returns how encodings are shortened.
  const std::optional<Truncation>& truncation() const { return truncation_; }
  /// Sets how encodings are lengthened, or that they are not. A file may have set it.
  void set_padding(std::optional<Padding> padding);
  /// Returns how encodings are lengthened.
  const std::optional<Padding>& padding() const { return padding_; }

 private:
  friend class DecodeStream;
  explicit Tokenizer(std::shared_ptr<const Pipeline> pipeline);
  static Tokenizer from_sentence_piece_folder(const std::string& model, const std::string& config);

  std::shared_ptr<const Pipeline> pipeline_;
  std::optional<Truncation> truncation_;
  std::optional<Padding> padding_;
};

}  // namespace tern::text
