#include <algorithm>

#include <tern/core/base/error.h>
#include <tern/nn/models/gpt2.h>
#include <tern/nn/models/llama.h>
#include <tern/serialization/json_document.h>
#include <tern/serialization/state_file.h>
#include <tern/text/generation/detail/language_files.h>

namespace tern::text {
namespace {

/// Makes a model without elements, then gives it the tensors of the files. They are not copied if
/// they have the dtype.
template <class Holder, class Options>
std::shared_ptr<models::CausalLM> load_model(Options options, const std::string& folder,
                                             const std::optional<ScalarType>& dtype) {
  if (dtype) options.dtype(*dtype);
  Holder net(options.device(Device(kMeta)));
  net->load_state_dict(load_state(folder, {.map = true, .read_ahead = true}),
                       {.assign = true, .cast = true});
  net->eval();
  return net.ptr();
}

std::shared_ptr<models::CausalLM> load_model(const State& config, const std::string& folder,
                                             const std::optional<ScalarType>& dtype) {
  const State* const type = config.find("model_type");
  TERN_CHECK(type != nullptr && type->is_string(), FileError, folder,
             "/config.json: has no \"model_type\"");
  if (type->string() == "gpt2") {
    return load_model<models::GPT2>(models::GPT2Options::from_config(config), folder, dtype);
  }
  TERN_CHECK(type->string() == "llama" || type->string() == "mistral" || type->string() == "qwen2",
             NotImplementedError, folder, "/config.json: \"model_type\" is \"", type->string(),
             "\"; tern has gpt2, llama, mistral and qwen2");
  return load_model<models::Llama>(models::LlamaOptions::from_config(config), folder, dtype);
}

/// Adds a token, or the tokens of a list, that a configuration names.
void add_tokens(const State& config, std::string_view key, std::vector<std::int64_t>& tokens) {
  const State* const value = config.find(key);
  if (value == nullptr || value->is_null()) return;
  const auto add = [&](const State& one) {
    const auto token = one.to<std::int64_t>(key);
    if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(token);
  };
  if (value->is_list()) {
    for (const State& one : value->elements()) add(one);
  } else {
    add(*value);
  }
}

}  // namespace

LanguageModel load_folder(const std::string& folder, const LoadLanguageModelOptions& options) {
  const State config = load_json(folder + "/config.json");
  LanguageModel result{.model = load_model(config, folder, options.dtype),
                       .tokenizer = Tokenizer::from_folder(folder)};
  ChatFiles chat = read_chat_files(folder);
  result.chat_template = std::move(chat.source);
  result.bos_token = std::move(chat.bos);
  result.eos_token = std::move(chat.eos);

  const std::string generation_path = folder + "/generation_config.json";
  const State generation = is_file(generation_path) ? load_json(generation_path) : State();
  std::vector<std::int64_t> padding;
  for (const State* from : {&generation, &config}) {
    if (!from->is_dict()) continue;
    if (result.eos_token_ids.empty()) add_tokens(*from, "eos_token_id", result.eos_token_ids);
    if (padding.empty()) add_tokens(*from, "pad_token_id", padding);
  }
  const std::int64_t size = result.model->vocab_size();
  std::erase_if(result.eos_token_ids, [&](auto token) { return token < 0 || token >= size; });
  // A chat model ends its turns with this token, also where the configuration has another one.
  const std::optional<std::int64_t> eos = result.tokenizer.token_to_id(result.eos_token);
  if (eos && *eos < size &&
      std::ranges::find(result.eos_token_ids, *eos) == result.eos_token_ids.end()) {
    result.eos_token_ids.push_back(*eos);
  }
  if (!padding.empty() && padding[0] >= 0 && padding[0] < size) result.pad_token_id = padding[0];
  return result;
}

}  // namespace tern::text
