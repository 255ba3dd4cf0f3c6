#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <tern/nn/models/gpt2.h>
#include <tern/nn/models/llama.h>
#include <tern/serialization/gguf.h>
#include <tern/serialization/json_document.h>
#include <tern/tern.h>
#include <tern/text/text.h>

#include "error_of.h"
#include "serialization/scratch.h"
#include "small.h"

namespace tern::text {
namespace {

using Tokens = std::vector<std::int64_t>;

const std::string kGguf = TERN_TEST_DATA "/serialization/gguf/llama.gguf";

const char* const kConfig =
    R"({"model_type": "llama", "vocab_size": 8, "hidden_size": 16, "intermediate_size": 24,)"
    R"( "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,)"
    R"( "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,)"
    R"( "hidden_act": "silu", "tie_word_embeddings": true, "torch_dtype": "bfloat16",)"
    R"( "eos_token_id": 5, "pad_token_id": 3})";

class ModelFolder : public ::testing::Test {
 protected:
  void write(const char* name, const std::string& text) const {
    std::ofstream(scratch_.path(name)) << text;
  }
  void write_llama() const {
    write("config.json", kConfig);
    write("tokenizer.json", small_json());
    manual_seed(0);
    const models::Llama net(
        models::LlamaOptions::from_config(load_json(scratch_.path("config.json"))));
    save(net, scratch_.path("model.safetensors"));
  }
  LanguageModel load(const LoadLanguageModelOptions& options = {}) const {
    return load_language_model(scratch_.folder(), options);
  }
  const Scratch scratch_;
};

TEST_F(ModelFolder, HasAllThatBelongsToAModel) {
  write_llama();
  write("tokenizer_config.json",
        R"({"bos_token": "a", "eos_token": {"content": "<|end|>"}, "chat_template":)"
        R"( "<|im_start|> <|im_end|> add_generation_prompt"})");
  const LanguageModel model = load();
  EXPECT_FALSE(model.model->module().is_training());
  EXPECT_EQ(model.model->vocab_size(), 8);
  EXPECT_EQ(model.model->module().parameters().front().dtype(), kFloat);
  EXPECT_EQ(load({.dtype = std::nullopt}).model->module().parameters().front().dtype(), kBFloat16);
  EXPECT_EQ(model.eos_token_ids, (Tokens{5}));
  EXPECT_EQ(model.pad_token_id, 3);
  EXPECT_EQ(model.bos_token, "a");
  EXPECT_EQ(model.eos_token, "<|end|>");
  EXPECT_EQ(model.chat().form(), ChatForm::kChatML);
  EXPECT_EQ(model.options().eos_token_ids, (Tokens{5}));
  EXPECT_EQ(model.options().pad_token_id, 3);

  // It writes what the model does that is loaded by hand.
  models::Llama net(
      models::LlamaOptions::from_config(load_json(scratch_.path("config.json"))).dtype(kFloat));
  tern::load(net, scratch_.folder(), nn::LoadOptions{.cast = true});
  const TextGeneration written =
      generate_text(*model.model, model.tokenizer, "ab", {.max_new_tokens = 9});
  const Tensor ids = tensor(model.tokenizer.encode_ids("ab")).unsqueeze(0);
  EXPECT_TRUE(
      equal(written.generation.sequences, generate(*net, ids, {.max_new_tokens = 9}).sequences));
}

TEST_F(ModelFolder, TakesTheTokensOfTheGenerationConfig) {
  write_llama();
  write("generation_config.json", R"({"eos_token_id": [4, 5, 99], "pad_token_id": null})");
  const LanguageModel model = load();
  EXPECT_EQ(model.eos_token_ids, (Tokens{4, 5}));
  EXPECT_EQ(model.pad_token_id, 3);
  EXPECT_TRUE(model.chat_template.empty());
  EXPECT_EQ(error_of([&] { (void)model.chat(); }),
            "text::LanguageModel: the files have no chat template; choose a form: "
            "ChatTemplate(ChatForm::kChatML)");
}

TEST_F(ModelFolder, ReadsGPT2) {
  write("config.json", R"({"model_type": "gpt2", "vocab_size": 8, "n_positions": 32, "n_embd": 8,)"
                       R"( "n_layer": 1, "n_head": 2})");
  write("tokenizer.json", small_json());
  const models::GPT2 net(models::GPT2Options::from_config(load_json(scratch_.path("config.json"))));
  save(net, scratch_.path("model.safetensors"));
  const LanguageModel model = load();
  EXPECT_EQ(model.model->context_length(), 32);
  const TextGeneration written =
      generate_text(*model.model, model.tokenizer, "ab", {.max_new_tokens = 4});
  EXPECT_EQ(written.generation.lengths, (Tokens{4}));
}

TEST_F(ModelFolder, RefusesOthers) {
  const std::string none = scratch_.folder() + "/none";
  EXPECT_EQ(error_of<FileError>([&] { load_language_model(none); }),
            "text::load_language_model: no file or folder '" + none + "'");
  EXPECT_THROW(load(), FileError);  // no config.json
  write("config.json", "{}");
  EXPECT_EQ(error_of<FileError>([&] { load(); }),
            scratch_.folder() + "/config.json: has no \"model_type\"");
  write("config.json", R"({"model_type": "mamba"})");
  EXPECT_EQ(
      error_of<NotImplementedError>([&] { load(); }),
      scratch_.folder() +
          "/config.json: \"model_type\" is \"mamba\"; tern has gpt2, llama, mistral and qwen2");
  write("no.gguf", "GGUX");
  EXPECT_THROW(load_language_model(scratch_.path("no.gguf")), FileError);
}

TEST(ModelOfGguf, WritesWhatItsTensorsSay) {
  // With blocks the activations are rounded, too.
  const LanguageModel model = load_language_model(kGguf, {.keep_blocks = false});
  const LanguageModel quantized = load_language_model(kGguf);
  EXPECT_LT(quantized.model->module().parameters().size(),
            model.model->module().parameters().size());
  EXPECT_EQ(model.model->vocab_size(), 6);
  EXPECT_EQ(model.eos_token_ids, (Tokens{2}));
  const GgufFile file(kGguf);
  const GgufLlama llama(file);
  models::Llama net(models::LlamaOptions::from_config(llama.config()));
  State state;
  for (const GgufLlamaName& name : llama.names()) {
    state.insert(name.name, llama.read(name.name, kFloat));
  }
  net->load_state_dict(state);
  net->eval();
  const NoGradGuard no_grad;
  const Tensor ids = tensor(Tokens{3, 4, 5, 3, 1}).unsqueeze(0);
  nn::KVCache one = net->make_cache(8), two = model.model->make_cache(8);
  const Tensor wanted = net->next_token_logits(ids, one);
  const Tensor logits = model.model->next_token_logits(ids, two);
  EXPECT_TRUE(allclose(logits, wanted)) << logits << wanted;
  nn::KVCache three = quantized.model->make_cache(8);
  const Tensor rough = quantized.model->next_token_logits(ids, three);
  EXPECT_TRUE(allclose(rough, wanted, 0.1, 0.1)) << rough << wanted;
  EXPECT_FALSE(generate_text(*model.model, model.tokenizer, "abc", {.max_new_tokens = 2})
                   .generation.lengths.empty());
}

}  // namespace
}  // namespace tern::text
