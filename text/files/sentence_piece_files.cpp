#include <algorithm>
#include <bit>

#include <tern/text/files/detail/build.h>
#include <tern/text/tokenizer.h>

namespace tern::text {
namespace {

/// The bytes of a message of Protocol Buffers.
class Message {
 public:
  Message& number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
    return *this;
  }
  Message& real(std::uint32_t field, float value) {
    varint((field << 3) | 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift);
    return *this;
  }
  Message& text(std::uint32_t field, std::string_view value) {
    varint((field << 3) | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// Returns what a model file with this vocabulary has: the fields of sentencepiece_model.proto.
std::string model_file_of(const SentencePieceVocabulary& from) {
  Message model, trainer, normalizer;
  bool has_bytes = false;
  for (std::size_t id = 0; id < from.tokens.size(); ++id) {
    const std::int64_t type = from.token_types[id];
    TERN_CHECK(type >= 1 && type <= 6, Error, "token_types[", id, "] is ", type,
               ", but the types of pieces are 1 to 6");
    has_bytes = has_bytes || type == static_cast<std::int64_t>(PieceKind::kByte);
    const Message piece = Message()
                              .text(1, from.tokens[id])
                              .real(2, from.scores[id])
                              .number(3, static_cast<std::uint64_t>(type));
    model.text(1, piece.bytes());
  }
  constexpr std::uint64_t kBpe = 2;
  trainer.number(3, kBpe).number(35, has_bytes ? 1 : 0);
  normalizer.text(1, "identity")
      .number(3, from.add_space_prefix ? 1 : 0)  // add_dummy_prefix
      .number(4, 0)                              // remove_extra_whitespaces
      .number(5, 1);                             // escape_whitespaces
  return model.text(2, trainer.bytes()).text(3, normalizer.bytes()).bytes();
}

/// Makes a tokenizer of a model file. `added` are tokens that come with it.
std::shared_ptr<Pipeline> read_pieces(std::string_view bytes, const std::string& name,
                                      std::vector<AddedToken> added) {
  auto pipeline = std::make_shared<Pipeline>();
  pipeline->pieces = std::make_unique<SentencePieces>(bytes, name);
  const SentencePieces& pieces = *pipeline->pieces;
  pipeline->vocabulary.reserve(pieces.size());
  for (std::uint32_t id = 0; id < pieces.size(); ++id) {
    const std::size_t invalid = find_invalid(pieces.text(id));
    TERN_CHECK(invalid == pieces.text(id).size(), FileError, name, ": piece ", id,
               " is not UTF-8 at byte ", invalid);
    add_token(pipeline->vocabulary, pieces.text(id), id, {name, "pieces"});
    const bool is_added = std::ranges::find(added, id, &AddedToken::id) != added.end();
    if (pieces.kind(id) != PieceKind::kControl || is_added) continue;
    AddedToken token;
    token.content = pieces.text(id);
    token.id = id;
    token.special = true;
    added.push_back(std::move(token));
  }
  set_added_tokens(*pipeline, std::move(added), {name, "added tokens"});
  return pipeline;
}

void set_ends(Pipeline& pipeline, const SentencePieceOptions& options) {
  text::set_ends(pipeline, options.add_bos ? pipeline.pieces->bos() : std::nullopt,
                 options.add_eos ? pipeline.pieces->eos() : std::nullopt);
}

}  // namespace

Tokenizer Tokenizer::from_sentence_piece_file(const std::string& path,
                                              const SentencePieceOptions& options) {
  const std::shared_ptr<Pipeline> pipeline = read_pieces(read_file(path), path, {});
  set_ends(*pipeline, options);
  return Tokenizer(std::shared_ptr<const Pipeline>(pipeline));
}

Tokenizer Tokenizer::from_sentence_piece_folder(const std::string& model,
                                                const std::string& config) {
  SentencePieceOptions options;
  std::vector<AddedToken> added;
  if (!config.empty()) {
    const nlohmann::json value = parse_json(read_file(config), config);
    const Json json(value, config, "");
    const std::string kind = json.find("tokenizer_class").text_or("");
    // What these classes of transformers do where the file does not say it.
    options.add_bos = kind.starts_with("Llama") || kind.starts_with("Gemma");
    options.add_bos = json.find("add_bos_token").boolean_or(options.add_bos);
    options.add_eos = json.find("add_eos_token").boolean_or(false);
    if (const Json list = json.find("added_tokens_decoder"); !list.is_null()) {
      list.expect_object();
      for (const auto& [id, token] : list.value().items()) {
        const Json item(token, config, "added_tokens_decoder." + id);
        std::uint32_t number = 0;
        for (const char c : id) {
          if (c < '0' || c > '9' || number > kMaxId) item.refuse("must have an id as its key");
          number = number * 10 + static_cast<std::uint32_t>(c - '0');
        }
        added.push_back(read_added_token(item, number));
      }
    }
  }
  const std::shared_ptr<Pipeline> pipeline = read_pieces(read_file(model), model, std::move(added));
  set_ends(*pipeline, options);
  return Tokenizer(std::shared_ptr<const Pipeline>(pipeline));
}

Tokenizer::Tokenizer(const SentencePieceVocabulary& from) {
  const std::size_t count = from.tokens.size();
  TERN_CHECK(count <= kMaxId, Error, "a vocabulary has at most ", kMaxId, " tokens, got ", count);
  const auto check_length = [&](const char* what, std::size_t length) {
    TERN_CHECK(length == count, Error, what, " has ", length, " entries, but there are ", count,
               " tokens");
  };
  check_length("scores", from.scores.size());
  check_length("token_types", from.token_types.size());
  const std::shared_ptr<Pipeline> pipeline = read_pieces(model_file_of(from), "the vocabulary", {});
  text::set_ends(*pipeline, from.bos, from.eos);
  pipeline_ = pipeline;
}

}  // namespace tern::text
