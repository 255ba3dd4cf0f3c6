#include <sys/stat.h>

#include <tern/text/files/detail/build.h>
#include <tern/text/tokenizer.h>

namespace tern::text {
namespace {

bool exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

/// Calls `read(line, number)` for each line, without its end.
template <class Read>
void for_each_line(const std::string& path, const Read& read) {
  const std::string text = read_file(path);
  const std::size_t invalid = find_invalid(text);
  TERN_CHECK(invalid == text.size(), FileError, path, ": byte ", invalid, " is not UTF-8");
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == text.npos) end = text.size();
    std::string_view line(text.data() + at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    read(line, ++number);
    at = end + 1;
  }
}

AddedToken special_token(std::string content, std::uint32_t id) {
  AddedToken token;
  token.content = std::move(content);
  token.id = id;
  token.special = true;
  return token;
}

/// Splits as the name of GGUF's `tokenizer.ggml.pre` says.
void set_split(Pipeline& pipeline, BpeOptions& options, std::string_view name) {
  PreTokenizer step{};
  if (name == "smollm") {
    step.kind = PreTokenizer::Kind::kDigits;
    step.individual_digits = true;
    pipeline.pre_tokenizers.push_back(step);
  } else if (name == "llama-bpe" || name == "llama3" || name == "llama-v3" || name == "qwen2") {
    step.kind = PreTokenizer::Kind::kScanner;
    step.scanner = name == "qwen2" ? Scanner::kQwen2 : Scanner::kLlama3;
    options.ignore_merges = name != "qwen2";
    pipeline.pre_tokenizers.push_back(step);
  } else {
    TERN_CHECK(name == "gpt2" || name == "gpt-2", NotImplementedError, "pre_tokenizer is '", name,
               "'; tern splits as gpt2, llama-bpe, smollm and qwen2");
  }
  set_byte_level(pipeline, false);
  pipeline.pre_tokenizers.back().use_regex =
      pipeline.pre_tokenizers.size() == 1 || name == "smollm";
}

}  // namespace

Tokenizer::Tokenizer(const BpeVocabulary& from) {
  const auto pipeline = std::make_shared<Pipeline>();
  const std::size_t count = from.tokens.size();
  TERN_CHECK(count <= kMaxId, Error, "a vocabulary has at most ", kMaxId, " tokens, got ", count);
  TERN_CHECK(from.token_types.empty() || from.token_types.size() == count, Error,
             "token_types has ", from.token_types.size(), " entries, but there are ", count,
             " tokens");
  std::vector<AddedToken> added;
  pipeline->vocabulary.reserve(count);
  for (std::uint32_t id = 0; id < count; ++id) {
    const std::size_t invalid = find_invalid(from.tokens[id]);
    TERN_CHECK(invalid == from.tokens[id].size(), Error, "token ", id, " is not UTF-8 at byte ",
               invalid);
    add_token(pipeline->vocabulary, from.tokens[id], id, {"the vocabulary", "tokens"});
    const std::int64_t type = from.token_types.empty() ? 1 : from.token_types[id];
    if (type != 3 && type != 4) continue;
    added.push_back(special_token(from.tokens[id], id));
    added.back().special = type == 3;
  }
  BpeOptions options;
  set_split(*pipeline, options, from.pre_tokenizer);
  std::vector<Merge> merges;
  merges.reserve(from.merges.size());
  for (std::size_t i = 0; i < from.merges.size(); ++i) {
    merges.push_back(
        merge_of(pipeline->vocabulary, from.merges[i], "", {"the vocabulary", "merges[", i, "]"}));
  }
  pipeline->model = make_bpe(pipeline->vocabulary, merges, options);
  set_added_tokens(*pipeline, std::move(added), {"the vocabulary", "token_types"});

  set_ends(*pipeline, from.bos, from.eos);
  pipeline_ = pipeline;
}

Tokenizer Tokenizer::from_bpe_files(const std::string& vocabulary, const std::string& merges) {
  const nlohmann::json value = parse_json(read_file(vocabulary), vocabulary);
  const Json json(value, vocabulary, "");
  json.expect_object();
  const auto pipeline = std::make_shared<Pipeline>();
  pipeline->vocabulary.reserve(value.size());
  for (const auto& [token, id] : value.items()) {
    add_token(pipeline->vocabulary, token,
              Json(id, vocabulary, token).integer(max_id_of(value.size())), {vocabulary, token});
  }
  std::vector<Merge> list;
  for_each_line(merges, [&](std::string_view line, std::size_t number) {
    if (line.empty() || (number == 1 && line.starts_with("#version"))) return;
    list.push_back(merge_of(pipeline->vocabulary, line, "", {merges, "line ", number}));
  });
  set_byte_level(*pipeline, false);
  pipeline->model = make_bpe(pipeline->vocabulary, list, {});
  const char* const kEnd = "<|endoftext|>";
  if (const std::uint32_t id = pipeline->vocabulary.find(kEnd); id != kNoId) {
    set_added_tokens(*pipeline, {special_token(kEnd, id)}, {vocabulary, kEnd});
  }
  return Tokenizer(std::shared_ptr<const Pipeline>(pipeline));
}

Tokenizer Tokenizer::from_vocabulary_file(const std::string& path, bool lowercase) {
  const auto pipeline = std::make_shared<Pipeline>();
  Vocabulary& vocabulary = pipeline->vocabulary;
  for_each_line(path, [&](std::string_view line, std::size_t number) {
    TERN_CHECK(number <= kMaxId, FileError, path, ": more than ", kMaxId, " lines");
    add_token(vocabulary, line, static_cast<std::uint32_t>(number - 1), {path, "line ", number});
  });
  const std::uint32_t unk = vocabulary.find("[UNK]");
  TERN_CHECK(unk != kNoId, FileError, path, ": the token [UNK] is missing among ",
             vocabulary.size(), " lines");
  Normalizer normalizer{};
  normalizer.kind = Normalizer::Kind::kBert;
  normalizer.lowercase = normalizer.strip_accents = lowercase;
  pipeline->normalizers = {normalizer};
  PreTokenizer split{};
  split.kind = PreTokenizer::Kind::kBert;
  pipeline->pre_tokenizers = {split};
  pipeline->model = make_word_piece(vocabulary, unk, "##", 100);
  std::vector<AddedToken> added;
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    const std::uint32_t id = vocabulary.find(name);
    if (id != kNoId) added.push_back(special_token(name, id));
  }
  set_added_tokens(*pipeline, std::move(added), {path, "special tokens"});
  const std::uint32_t cls = vocabulary.find("[CLS]"), sep = vocabulary.find("[SEP]");
  if (cls != kNoId && sep != kNoId) {
    pipeline->post_processor = bert_form({"[CLS]", cls}, {"[SEP]", sep}, false);
  }
  Decoder decoder{};
  decoder.kind = Decoder::Kind::kWordPiece;
  decoder.pattern = "##";
  pipeline->decoders = {decoder};
  return Tokenizer(std::shared_ptr<const Pipeline>(pipeline));
}

Tokenizer Tokenizer::from_folder(const std::string& folder) {
  const auto file = [&](const char* name) { return folder + "/" + name; };
  if (exists(file("tokenizer.json"))) return from_file(file("tokenizer.json"));
  if (exists(file("vocab.json"))) return from_bpe_files(file("vocab.json"), file("merges.txt"));
  const std::string config = file("tokenizer_config.json");
  if (exists(file("tokenizer.model"))) {
    return from_sentence_piece_folder(file("tokenizer.model"), exists(config) ? config : "");
  }
  TERN_CHECK(exists(file("vocab.txt")), FileError, folder,
             ": has none of tokenizer.json, vocab.json, tokenizer.model and vocab.txt");
  bool lowercase = true;
  if (exists(config)) {
    const nlohmann::json value = parse_json(read_file(config), config);
    lowercase = Json(value, config, "").find("do_lower_case").boolean_or(true);
  }
  return from_vocabulary_file(file("vocab.txt"), lowercase);
}

}  // namespace tern::text
