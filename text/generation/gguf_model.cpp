#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/nn/models/llama.h>
#include <tern/serialization/gguf.h>
#include <tern/text/generation/detail/language_files.h>

namespace tern::text {
namespace {

std::optional<std::int64_t> find_integer(const GgufFile& file, std::string_view key) {
  if (!file.has_key(key)) return std::nullopt;
  return file.metadata(key).to<std::int64_t>(key);
}

bool find_flag(const GgufFile& file, std::string_view key, bool otherwise = false) {
  return file.has_key(key) ? file.metadata(key).to<bool>(key) : otherwise;
}

/// Sets what both kinds of vocabularies have.
template <class Vocabulary>
void read_ends(const GgufFile& file, Vocabulary& vocabulary, bool add_bos) {
  if (find_flag(file, "tokenizer.ggml.add_bos_token", add_bos)) {
    vocabulary.bos = find_integer(file, "tokenizer.ggml.bos_token_id");
  }
  if (find_flag(file, "tokenizer.ggml.add_eos_token")) {
    vocabulary.eos = find_integer(file, "tokenizer.ggml.eos_token_id");
  }
}

Tokenizer read_sentence_piece(const GgufFile& file) {
  SentencePieceVocabulary vocabulary;
  vocabulary.tokens = file.strings("tokenizer.ggml.tokens");
  vocabulary.token_types = file.integers("tokenizer.ggml.token_type");
  const State scores = file.metadata("tokenizer.ggml.scores");
  for (const State& score : scores.elements()) {
    vocabulary.scores.push_back(static_cast<float>(score.to<double>("tokenizer.ggml.scores")));
  }
  vocabulary.add_space_prefix = find_flag(file, "tokenizer.ggml.add_space_prefix", true);
  read_ends(file, vocabulary, /*add_bos=*/true);  // llama.cpp's default
  return Tokenizer(vocabulary);
}

Tokenizer read_tokenizer(const GgufFile& file) {
  const std::string model = file.metadata("tokenizer.ggml.model").string();
  if (model == "llama") return read_sentence_piece(file);
  TERN_CHECK(model == "gpt2", NotImplementedError, file.path(), ": tokenizer.ggml.model is '",
             model, "'; tern reads gpt2, byte pairs, and llama, SentencePiece");
  BpeVocabulary vocabulary;
  vocabulary.tokens = file.strings("tokenizer.ggml.tokens");
  vocabulary.merges = file.strings("tokenizer.ggml.merges");
  if (file.has_key("tokenizer.ggml.token_type")) {
    vocabulary.token_types = file.integers("tokenizer.ggml.token_type");
  }
  if (file.has_key("tokenizer.ggml.pre")) {
    vocabulary.pre_tokenizer = file.metadata("tokenizer.ggml.pre").string();
  }
  read_ends(file, vocabulary, /*add_bos=*/false);
  return Tokenizer(vocabulary);
}

/// The part of a name in front of its last dot, and the part behind.
std::pair<std::string, std::string> split(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return {name.substr(0, dot), name.substr(dot + 1)};
}

/// Gives the tensors of a file to a model without elements.
class Filler {
 public:
  Filler(models::LlamaImpl& net, const GgufFile& file, const LoadLanguageModelOptions& options)
      : net_(net), file_(file), llama_(file), options_(options) {}

  void fill() {
    for (const GgufLlamaName& name : llama_.names()) {
      const GgufEntry& entry = *file_.find(name.gguf_name);
      const auto [path, member] = split(name.name);
      const bool is_shared = net_.options.tie_word_embeddings() && path == "model.embed_tokens";
      if (!options_.keep_blocks || !entry.blocks || member != "weight") {
        const Tensor tensor = llama_.read(name.name, options_.dtype);
        replace(path, member, tensor);
        if (is_shared) replace("lm_head", member, tensor);
        continue;
      }
      const GgufBlocks blocks = llama_.read_blocks(name.name);
      set_blocks(path, blocks);
      if (is_shared) set_blocks("lm_head", blocks);
    }
    for (const auto& item : net_.named_parameters()) {
      TERN_CHECK(!item.value().is_meta(), FileError, file_.path(), ": has no tensor for ",
                 item.key());
    }
  }

 private:
  void replace(const std::string& path, const std::string& member, const Tensor& tensor) {
    const std::shared_ptr<nn::Module> module = net_.get_submodule(path);
    const Tensor before = module->get_parameter(member);
    TERN_CHECK(before.sizes() == tensor.sizes(), FileError, file_.path(), ": ", path, ".", member,
               " has the sizes ", tensor.sizes(), ", but the model needs ", before.sizes());
    module->replace_parameter(member, tensor);
  }

  void set_blocks(const std::string& path, const GgufBlocks& blocks) {
    const std::shared_ptr<nn::Module> module = net_.get_submodule(path);
    if (auto* const linear = dynamic_cast<nn::LinearImpl*>(module.get())) {
      linear->set_quantized_weight(blocks.bytes, blocks.format);
    } else if (auto* const embedding = dynamic_cast<nn::EmbeddingImpl*>(module.get())) {
      embedding->set_quantized_weight(blocks.bytes, blocks.format);
    } else {
      throw FileError(detail::text_of(file_.path(), ": ", path,
                                      ".weight is quantised, which tern "
                                      "does not have for this module"));
    }
  }

  models::LlamaImpl& net_;
  const GgufFile& file_;
  GgufLlama llama_;
  const LoadLanguageModelOptions& options_;
};

std::string token_text(const Tokenizer& tokenizer, const std::optional<std::int64_t>& id) {
  return id ? tokenizer.id_to_token(*id) : "";
}

}  // namespace

LanguageModel load_gguf(const std::string& path, const LoadLanguageModelOptions& options) {
  const GgufFile file(path, {.map = true, .read_ahead = true});
  // First, from the beginning of the file: meanwhile the weights are read.
  Tokenizer tokenizer = read_tokenizer(file);
  models::LlamaOptions llama = models::LlamaOptions::from_config(GgufLlama(file).config());
  models::Llama net(llama.device(Device(kMeta)).dtype(options.dtype.value_or(kFloat)));
  Filler(*net, file, options).fill();
  net->eval();

  LanguageModel result{.model = net.ptr(), .tokenizer = std::move(tokenizer)};
  const std::optional<std::int64_t> eos = find_integer(file, "tokenizer.ggml.eos_token_id");
  for (const auto& end : {eos, find_integer(file, "tokenizer.ggml.eot_token_id")}) {
    if (!end || std::ranges::find(result.eos_token_ids, *end) != result.eos_token_ids.end())
      continue;
    result.eos_token_ids.push_back(*end);
  }
  result.pad_token_id = find_integer(file, "tokenizer.ggml.padding_token_id");
  if (file.has_key("tokenizer.chat_template")) {
    result.chat_template = file.metadata("tokenizer.chat_template").string();
  }
  result.bos_token =
      token_text(result.tokenizer, find_integer(file, "tokenizer.ggml.bos_token_id"));
  result.eos_token = token_text(result.tokenizer, eos);
  return result;
}

}  // namespace tern::text
