#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tern/text/detail/pipeline.h>
#include <tern/text/files/detail/json.h>

namespace tern::text {

/// Reads the steps of tokenizer.json; a step that is null is left out.
std::vector<Normalizer> read_normalizers(const Json& json);
std::vector<PreTokenizer> read_pre_tokenizers(const Json& json);
std::vector<Decoder> read_decoders(const Json& json);
PostProcessor read_post_processor(const Json& json);

/// Returns the form `[CLS] A [SEP]`, or `[CLS] A [SEP] B [SEP]`, of BERT; RoBERTa writes [SEP]
/// twice between the texts, and has no type 1.
PostProcessor bert_form(const std::pair<std::string, std::uint32_t>& cls,
                        const std::pair<std::string, std::uint32_t>& sep, bool roberta);

/// Where tokens come from, for errors. A number and what stands behind it end the key: it becomes
/// text only if there is an error.
struct Source {
  std::string_view file, key;
  std::optional<std::size_t> number = std::nullopt;
  std::string_view behind = {};
};

/// Adds a token to the vocabulary. Throws FileError if the id or the token is there already.
void add_token(Vocabulary& vocabulary, std::string_view token, std::uint32_t id,
               const Source& source);

/// Returns the merge of two tokens. Throws FileError if one of the three tokens is none.
Merge merge_of(const Vocabulary& vocabulary, std::string_view first, std::string_view second,
               std::string_view prefix, const Source& source);
/// The same for "a b".
Merge merge_of(const Vocabulary& vocabulary, std::string_view line, std::string_view prefix,
               const Source& source);

/// Throws FileError unless the added tokens agree with the vocabulary and with each other, then
/// sets them.
void set_added_tokens(Pipeline& pipeline, std::vector<AddedToken> tokens, const Source& source);

/// Puts the tokens `bos` and `eos`, if they are given, around each text. Throws Error for an id of
/// `count` or more.
void set_ends(Pipeline& pipeline, std::optional<std::int64_t> bos, std::optional<std::int64_t> eos);

/// Reads an element of "added_tokens" of tokenizer.json, or of "added_tokens_decoder", where the id
/// is the key.
AddedToken read_added_token(const Json& json, std::uint32_t id);

/// The steps of a tokenizer of bytes.
void set_byte_level(Pipeline& pipeline, bool add_prefix_space);

}  // namespace tern::text
