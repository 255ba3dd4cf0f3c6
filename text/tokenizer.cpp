#include <tern/text/tokenizer.h>

#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/text/detail/encodings.h>
#include <tern/text/detail/pipeline.h>

namespace tern::text {
namespace {

/// The token of an id of the user.
std::string_view token_of(const Pipeline& pipeline, std::int64_t id) {
  const std::optional<std::string_view> token =
      id < 0 || id > kMaxId ? std::nullopt : pipeline.token(static_cast<std::uint32_t>(id));
  TERN_CHECK(token, IndexError, "id ", id, " is no token; the tokenizer has ",
             pipeline.vocabulary.size(), " tokens and ", pipeline.added.tokens().size(),
             " added ones");
  return *token;
}

Encoding encode_texts(const Pipeline& pipeline, std::initializer_list<std::string_view> texts,
                      const EncodeOptions& options, const std::optional<Truncation>& truncation) {
  std::vector<Sequence> sequences;
  for (const std::string_view text : texts) {
    sequences.push_back(pipeline.encode(text, options.parse_special_tokens, true));
  }
  return finish(pipeline, {texts.begin(), texts.size()}, std::move(sequences), options, truncation);
}

/// Decodes with SentencePiece. Added tokens, which it does not know, begin the text anew, as they
/// do for encode().
std::string decode_pieces(const Pipeline& pipeline, ArrayRef<std::int64_t> ids, bool skip_special) {
  std::string text;
  std::vector<std::uint32_t> pieces;
  const auto flush = [&] {
    if (!pieces.empty()) text += pipeline.pieces->decode(pieces, true);
    pieces.clear();
  };
  for (const std::int64_t wide : ids) {
    const std::string_view token = token_of(pipeline, wide);
    const auto id = static_cast<std::uint32_t>(wide);
    if (skip_special && pipeline.is_special(id)) continue;
    if (pipeline.is_piece(id)) {
      pieces.push_back(id);
    } else {
      flush();
      text += token;
    }
  }
  flush();
  return text;
}

void check_not_negative(const char* what, std::int64_t value) {
  TERN_CHECK(value >= 0, Error, what, " must not be negative, got ", value);
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Pipeline> pipeline)
    : pipeline_(std::move(pipeline)),
      truncation_(pipeline_->truncation),
      padding_(pipeline_->padding) {}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  Encoding encoding = encode_texts(*pipeline_, {text}, options, truncation_);
  if (padding_) pad(*padding_, {&encoding, 1});
  return encoding;
}

Encoding Tokenizer::encode_pair(std::string_view text, std::string_view pair,
                                const EncodeOptions& options) const {
  Encoding encoding = encode_texts(*pipeline_, {text, pair}, options, truncation_);
  if (padding_) pad(*padding_, {&encoding, 1});
  return encoding;
}

std::vector<Encoding> Tokenizer::encode_batch(const std::vector<std::string>& texts,
                                              const EncodeOptions& options) const {
  std::vector<Encoding> encodings;
  encodings.reserve(texts.size());
  for (const std::string& text : texts) {
    encodings.push_back(encode_texts(*pipeline_, {text}, options, truncation_));
  }
  if (padding_) pad(*padding_, encodings);
  return encodings;
}

std::vector<std::int64_t> Tokenizer::encode_ids(std::string_view text,
                                                const EncodeOptions& options) const {
  Sequence tokens = pipeline_->encode(text, options.parse_special_tokens, false);
  return finish_ids(*pipeline_, std::move(tokens), options, truncation_, padding_);
}

std::string Tokenizer::decode(ArrayRef<std::int64_t> ids, bool skip_special_tokens) const {
  if (pipeline_->pieces) return decode_pieces(*pipeline_, ids, skip_special_tokens);
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const std::int64_t id : ids) {
    const std::string_view token = token_of(*pipeline_, id);
    if (!skip_special_tokens || !is_special(id)) tokens.emplace_back(token);
  }
  return text::decode(pipeline_->decoders, std::move(tokens));
}

std::size_t Tokenizer::vocab_size() const {
  const auto& added = pipeline_->added.tokens();
  return pipeline_->vocabulary.size() +
         static_cast<std::size_t>(std::ranges::count_if(
             added, [&](const AddedToken& token) { return !pipeline_->vocabulary.has(token.id); }));
}

std::optional<std::int64_t> Tokenizer::token_to_id(std::string_view token) const {
  const std::uint32_t id = pipeline_->id(token);
  return id == kNoId ? std::nullopt : std::optional<std::int64_t>(id);
}

std::string Tokenizer::id_to_token(std::int64_t id) const {
  return std::string(token_of(*pipeline_, id));
}

bool Tokenizer::is_special(std::int64_t id) const {
  return id >= 0 && id <= kMaxId && pipeline_->is_special(static_cast<std::uint32_t>(id));
}

void Tokenizer::set_truncation(std::optional<Truncation> truncation) {
  if (truncation) check_not_negative("max_length", truncation->max_length);
  truncation_ = truncation;
}

void Tokenizer::set_padding(std::optional<Padding> padding) {
  if (padding) {
    check_not_negative("length", padding->length.value_or(0));
    check_not_negative("multiple_of", padding->multiple_of);
  }
  padding_ = std::move(padding);
}

}  // namespace tern::text
