#include <algorithm>

#include <tern/text/files/detail/build.h>
#include <tern/text/tokenizer.h>

namespace tern::text {
namespace {

void read_vocabulary(const Json& json, Vocabulary& vocabulary) {
  json.expect_object();
  const Source source{json.file(), json.key()};
  vocabulary.reserve(json.value().size());
  for (const auto& [token, id] : json.value().items()) {
    const Json value(id, json.file(), json.key() + "." + token);
    add_token(vocabulary, token, value.integer(max_id_of(json.value().size())), source);
  }
}

/// Returns the id of a token that the model names; kNoId for null.
std::uint32_t read_unk(const Json& json, const Vocabulary& vocabulary) {
  if (json.is_null()) return kNoId;
  const std::uint32_t id = vocabulary.find(json.text());
  if (id == kNoId) json.refuse("is ", json.shown(), ", which the vocabulary does not have");
  return id;
}

std::unique_ptr<Model> read_bpe(const Json& json, const Pipeline& pipeline) {
  const Vocabulary& vocabulary = pipeline.vocabulary;
  BpeOptions options;
  options.byte_level = std::ranges::any_of(pipeline.pre_tokenizers, [](const PreTokenizer& step) {
    return step.kind == PreTokenizer::Kind::kByteLevel;
  });
  options.ignore_merges = json.find("ignore_merges").boolean_or(false);
  options.fuse_unk = json.find("fuse_unk").boolean_or(false);
  options.byte_fallback = json.find("byte_fallback").boolean_or(false);
  options.unk = read_unk(json.find("unk_token"), vocabulary);
  options.prefix = json.find("continuing_subword_prefix").text_or("");
  options.suffix = json.find("end_of_word_suffix").text_or("");
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const Json value = json.find(name);
    if (options.byte_level && !value.text_or("").empty()) {
      value.not_implemented("prefixes and suffixes of tokens of bytes");
    }
  }
  if (options.byte_level && options.byte_fallback) {
    json.find("byte_fallback").not_implemented("byte_fallback for tokens of bytes");
  }
  const Json dropout = json.find("dropout");
  if (!dropout.is_null() && dropout.value() != 0) {
    dropout.not_implemented("merges that are left out at random");
  }

  const Json list = json.at("merges");
  std::vector<Merge> merges;
  merges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json item = list.at(i);
    const Source source{item.file(), item.key()};
    if (item.is_text()) {
      merges.push_back(merge_of(vocabulary, item.text(), options.prefix, source));
      continue;
    }
    if (item.size() != 2) item.refuse("must be two tokens, got ", item.shown());
    merges.push_back(merge_of(vocabulary, item.at(std::size_t{0}).text(), item.at(1).text(),
                              options.prefix, source));
  }
  return make_bpe(vocabulary, merges, options);
}

std::unique_ptr<Model> read_model(const Json& json, Pipeline& pipeline) {
  // Files of GPT-2's time name no type.
  const Json type = json.find("type");
  const bool is_bpe = type.text_or("BPE") == "BPE";
  if (!is_bpe && type.text() != "WordPiece") {
    type.not_implemented(detail::text_of("model ", type.text()));
  }
  read_vocabulary(json.at("vocab"), pipeline.vocabulary);
  if (is_bpe) return read_bpe(json, pipeline);
  const std::uint32_t unk = read_unk(json.at("unk_token"), pipeline.vocabulary);
  if (unk == kNoId) json.at("unk_token").refuse("must be a token of the vocabulary, got null");
  return make_word_piece(pipeline.vocabulary, unk,
                         json.find("continuing_subword_prefix").text_or("##"),
                         json.find("max_input_chars_per_word").integer_or(100, kNoId));
}

std::vector<AddedToken> read_added_tokens(const Json& json) {
  std::vector<AddedToken> tokens;
  if (json.is_null()) return tokens;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const Json item = json.at(i);
    tokens.push_back(read_added_token(item, item.at("id").integer(kMaxId)));
  }
  return tokens;
}

bool is_left(const Json& direction) {
  const std::string name = direction.text_or("Right");
  if (name != "Left" && name != "Right") {
    direction.refuse("must be Left or Right, got ", direction.shown());
  }
  return name == "Left";
}

std::optional<Truncation> read_truncation(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Truncation truncation;
  truncation.max_length = json.at("max_length").integer(kNoId);
  truncation.left = is_left(json.find("direction"));
  const Json strategy = json.find("strategy");
  const std::string name = strategy.text_or("LongestFirst");
  if (name == "OnlyFirst") {
    truncation.strategy = TruncationStrategy::kOnlyFirst;
  } else if (name == "OnlySecond") {
    truncation.strategy = TruncationStrategy::kOnlySecond;
  } else if (name != "LongestFirst") {
    strategy.refuse("must be LongestFirst, OnlyFirst or OnlySecond, got ", strategy.shown());
  }
  return truncation;
}

std::optional<Padding> read_padding(const Json& json) {
  if (json.is_null()) return std::nullopt;
  Padding padding;
  const Json strategy = json.at("strategy");
  if (strategy.is_object()) {
    padding.length = strategy.at("Fixed").integer(kMaxId);
  } else if (strategy.text() != "BatchLongest") {
    strategy.refuse("must be BatchLongest or a fixed length, got ", strategy.shown());
  }
  padding.multiple_of = json.find("pad_to_multiple_of").integer_or(0, kMaxId);
  padding.left = is_left(json.find("direction"));
  padding.id = json.at("pad_id").integer(kMaxId);
  padding.type_id = json.find("pad_type_id").integer_or(0, kMaxId);
  padding.token = json.at("pad_token").text();
  return padding;
}

/// Throws unless all tokens of the forms exist.
void check_form(const Pipeline& pipeline, const std::vector<TemplatePart>& form, const Json& json) {
  for (const TemplatePart& part : form) {
    for (const std::uint32_t id : part.ids) {
      if (!pipeline.token(id)) json.refuse("adds the id ", id, ", which no token has");
    }
  }
}

}  // namespace

AddedToken read_added_token(const Json& json, std::uint32_t id) {
  AddedToken token;
  token.content = json.at("content").text();
  token.id = id;
  token.single_word = json.find("single_word").boolean_or(false);
  token.lstrip = json.find("lstrip").boolean_or(false);
  token.rstrip = json.find("rstrip").boolean_or(false);
  token.special = json.find("special").boolean_or(false);
  token.normalized = json.find("normalized").boolean_or(!token.special);
  return token;
}

Tokenizer Tokenizer::from_json(std::string_view text, const std::string& name) {
  const nlohmann::json value = parse_json(text, name);
  const Json json(value, name, "");
  json.expect_object();
  const auto pipeline = std::make_shared<Pipeline>();
  pipeline->normalizers = read_normalizers(json.find("normalizer"));
  pipeline->pre_tokenizers = read_pre_tokenizers(json.find("pre_tokenizer"));
  pipeline->model = read_model(json.at("model"), *pipeline);
  set_added_tokens(*pipeline, read_added_tokens(json.find("added_tokens")), {name, "added_tokens"});
  const Json post = json.find("post_processor");
  pipeline->post_processor = read_post_processor(post);
  check_form(*pipeline, pipeline->post_processor.single, post);
  check_form(*pipeline, pipeline->post_processor.pair, post);
  pipeline->decoders = read_decoders(json.find("decoder"));
  pipeline->truncation = read_truncation(json.find("truncation"));
  pipeline->padding = read_padding(json.find("padding"));
  return Tokenizer(std::shared_ptr<const Pipeline>(pipeline));
}

Tokenizer Tokenizer::from_file(const std::string& path) { return from_json(read_file(path), path); }

}  // namespace tern::text
