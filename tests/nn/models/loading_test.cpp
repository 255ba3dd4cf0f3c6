
#include "nn/models/language.h"
#include "serialization/scratch.h"

namespace tern {
namespace {

using testing::config_of;
using testing::gpt2;
using testing::language_folder;
using testing::language_ids;
using testing::llama;

State state_of(const std::string& name) { return load_state(language_folder(name)); }

TEST(LanguageModelLoading, TakesFilesOfTheBaseModel) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(6);
  auto net = gpt2(kFloat);
  models::GPT2 other(net->options);
  other->eval();
  other->load_state_dict(strip_prefix(state_of("gpt2"), "transformer."));
  EXPECT_TRUE(same_bits(other(ids), net(ids)));

  auto small = llama("llama", kFloat);
  models::Llama copy(small->options);
  copy->load_state_dict(strip_prefix(state_of("llama"), "model."));
  EXPECT_TRUE(same_bits(copy(ids), small(ids)));
}

TEST(LanguageModelLoading, SkipsTheBuffersOfOldFiles) {
  State state = state_of("gpt2");
  state.insert("transformer.h.0.attn.bias", ones({1, 1, 128, 128}));
  state.insert("transformer.h.1.attn.masked_bias", tensor(-1e4));
  gpt2(kFloat)->load_state_dict(state);
  state.insert("transformer.h.1.attn.other", tensor(-1e4));
  EXPECT_NE(error_of([&] { gpt2(kFloat)->load_state_dict(state); }).find("attn.other"),
            std::string::npos);
  State old = state_of("llama");
  old.insert("model.layers.0.self_attn.rotary_emb.inv_freq", ones({4}));
  llama("llama", kFloat)->load_state_dict(old);
}

TEST(LanguageModelLoading, IsStrict) {
  State state = state_of("llama");
  state.erase("model.layers.1.mlp.up_proj.weight");
  const std::string text = error_of([&] { llama("llama", kFloat)->load_state_dict(state); });
  EXPECT_NE(text.find("Missing key(s) in state_dict: \"model.layers.1.mlp.up_proj.weight\""),
            text.npos)
      << text;
  const auto keys = llama("llama", kFloat)->load_state_dict(state, /*strict=*/false);
  EXPECT_EQ(keys.missing_keys, std::vector<std::string>{"model.layers.1.mlp.up_proj.weight"});
  EXPECT_NE(error_of([&] { llama("llama", kFloat)->load_state_dict(State(3)); }).find("dict-like"),
            std::string::npos);
}

TEST(LanguageModelLoading, SharesATiedHead) {
  auto net = llama("llama", kFloat);
  EXPECT_TRUE(net->lm_head->weight.is_same(net->model->embed_tokens->weight));
  EXPECT_EQ(net->parameters().size(), state_of("llama").size());
  EXPECT_TRUE(identical(net->state_dict().contains("lm_head.weight"), false));
  EXPECT_EQ(net->state_dict().size(), state_of("llama").size());
  // A file may hold the head, too, if it is the same.
  State state = state_of("llama");
  state.insert("lm_head.weight", state["model.embed_tokens.weight"].tensor().clone());
  net->load_state_dict(state);
  state.set("lm_head.weight", zeros({61, 16}));
  EXPECT_NE(error_of([&] { net->load_state_dict(state); }).find("different values"),
            std::string::npos);
  // An optimizer changes both.
  const Tensor ids = language_ids(6);
  net(ids).square().sum().backward();
  optim::SGD(net->parameters(), optim::SGDOptions(0.1)).step();
  EXPECT_TRUE(same_bits(net->lm_head->weight, net->model->embed_tokens->weight));
  net->to(kDouble);
  EXPECT_TRUE(net->lm_head->weight.is_same(net->model->embed_tokens->weight));
}

TEST(LanguageModelLoading, NeedsAHeadThatIsNotTied) {
  State state = state_of("qwen2");
  EXPECT_TRUE(llama("qwen2", kFloat)->state_dict().contains("lm_head.weight"));
  state.erase("lm_head.weight");
  EXPECT_NE(
      error_of([&] { llama("qwen2", kFloat)->load_state_dict(state); }).find("\"lm_head.weight\""),
      std::string::npos);
}

TEST(LanguageModelLoading, IsWhatSavingWrites) {
  const NoGradGuard no_grad;
  const Scratch scratch;
  const std::string path = scratch.path("model.safetensors");
  for (const char* const name : {"llama", "qwen2"}) {
    auto net = llama(name, kFloat);
    save(net, path);
    EXPECT_EQ(load_state(path).keys().size(), state_of(name).keys().size());
    models::Llama other(net->options);
    load(other, scratch.folder());
    EXPECT_TRUE(same_bits(other(language_ids(6)), net(language_ids(6))));
    // A module that contains a model has the key of a tied head, and loads what it saves.
    nn::ModuleDict holder({{"net", net}});
    holder->load_state_dict(holder->state_dict());
    EXPECT_TRUE(holder->state_dict().contains("net.lm_head.weight"));
  }
}

TEST(LanguageModelLoading, HasTheDtypeOfTheFile) {
  const NoGradGuard no_grad;
  models::Llama net(models::LlamaOptions::from_config(config_of("mistral")));
  EXPECT_EQ(net->lm_head->weight.dtype(), kBFloat16);
  load(net, language_folder("mistral"));  // in two files
  EXPECT_TRUE(same_bits(net->get_parameter("model.layers.1.mlp.up_proj.weight"),
                        state_of("mistral")["model.layers.1.mlp.up_proj.weight"].tensor()));
  const Tensor ids = language_ids(13);
  EXPECT_EQ(net(ids).dtype(), kBFloat16);
  auto wide = llama("mistral", kFloat);
  const Tensor difference = net(ids).to(kFloat) - wide(ids);
  EXPECT_LT(difference.square().mean().sqrt().item<double>(),
            0.03 * wide(ids).std().item<double>());
  // Another dtype is an error, unless a cast is asked for.
  models::Llama other(models::LlamaOptions::from_config(config_of("mistral")).dtype(kFloat));
  EXPECT_NE(error_of([&] { load(other, language_folder("mistral")); }).find("LoadOptions::cast"),
            std::string::npos);
  net->to(kFloat);
  EXPECT_TRUE(same_bits(net(ids), wide(ids)));
}

TEST(LanguageModelLoading, CopiesNothingFromAMappedFile) {
  const NoGradGuard no_grad;
  for (const char* const name : {"gpt2", "llama", "mistral"}) {
    const State state = load_state(language_folder(name), {.map = true});
    const auto check = [&](auto net) {
      net->load_state_dict(state, {.assign = true});
      for (const auto& [key, parameter] : net->named_parameters()) {
        EXPECT_EQ(parameter.data_ptr(), state[key].tensor().data_ptr()) << name << ' ' << key;
        EXPECT_TRUE(parameter.requires_grad());
      }
      net->eval();
      return net(language_ids(6));
    };
    // The model on meta takes no memory before it takes over the tensors.
    if (name == std::string("gpt2")) {
      const auto options = models::GPT2Options::from_config(config_of(name)).device(Device(kMeta));
      EXPECT_TRUE(same_bits(check(models::GPT2(options)), gpt2(kFloat)(language_ids(6))));
    } else {
      auto options = models::LlamaOptions::from_config(config_of(name)).device(Device(kMeta));
      const Tensor logits = check(models::Llama(options));
      models::Llama copy(options.device(Device(kCPU)));
      load(copy, language_folder(name));
      EXPECT_TRUE(same_bits(logits, copy(language_ids(6))));
    }
  }
}

/// Returns the error of a configuration with one other field.
template <class Options>
std::string config_error(const std::string& name, const std::string& field, const State& value) {
  State config = config_of(name);
  config.set(field, value);
  return error_of([&] { Options::from_config(config); });
}

TEST(LanguageModelConfig, NamesWhatIsNotSupported) {
  using models::BertOptions;
  using models::GPT2Options;
  using models::LlamaOptions;
  EXPECT_EQ(config_error<LlamaOptions>("llama", "model_type", "gemma"),
            "models::Llama: the field \"model_type\" of the configuration is \"gemma\", supported: "
            "\"llama\", \"mistral\", \"qwen2\"");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "hidden_act", "gelu"),
            "models::Llama: the field \"hidden_act\" of the configuration is \"gelu\", supported: "
            "\"silu\"");
  State rope = config_of("llama")["rope_parameters"];
  rope.set("rope_type", "yarn");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "rope_parameters", rope),
            "models::Llama: the field \"rope_parameters.rope_type\" of the configuration is "
            "\"yarn\", supported: \"default\", \"llama3\"");
  rope.set("rope_type", "llama3");
  rope.erase("factor");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "rope_parameters", rope),
            "models::Llama: the configuration has no field \"rope_parameters.factor\"");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "hidden_size", nullptr),
            "models::Llama: the configuration has no field \"hidden_size\"");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "hidden_size", 576.5),
            "models::Llama: the field \"hidden_size\" of the configuration must be an integer, got "
            "576.5");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "tie_word_embeddings", 1),
            "models::Llama: the field \"tie_word_embeddings\" of the configuration must be true or "
            "false, got 1");
  EXPECT_EQ(config_error<LlamaOptions>("llama", "dtype", "float8"),
            "models::Llama: the field \"dtype\" of the configuration is \"float8\", supported: "
            "\"float32\", \"bfloat16\", \"float16\", \"float64\"");
  EXPECT_EQ(config_error<GPT2Options>("gpt2", "add_cross_attention", true),
            "models::GPT2: the field \"add_cross_attention\" of the configuration is true, "
            "supported: false");
  EXPECT_EQ(config_error<BertOptions>("bert", "position_embedding_type", "relative_key"),
            "models::Bert: the field \"position_embedding_type\" of the configuration is "
            "\"relative_key\", supported: \"absolute\"");
  EXPECT_EQ(error_of([] { GPT2Options::from_config(State(3)); }),
            "models::GPT2: expected a configuration with fields, got an integer");
}

TEST(LanguageModelConfig, ReadsTheNamesOfOldAndNewFiles) {
  using models::LlamaOptions;
  const LlamaOptions fresh = LlamaOptions::from_config(config_of("llama"));
  EXPECT_EQ(fresh.rope_theta(), 1000);
  ASSERT_TRUE(fresh.rope_scaling());
  EXPECT_EQ(fresh.rope_scaling()->original_max_position_embeddings(), 32);
  EXPECT_EQ(fresh.dtype(), kFloat);
  State config = config_of("llama");
  State rope = config["rope_parameters"];
  config.erase("rope_parameters");
  rope.erase("rope_theta");
  rope.set("type", rope["rope_type"]);  // before "rope_type"
  rope.erase("rope_type");
  config.set("rope_scaling", rope);
  config.set("rope_theta", 1000);
  config.set("torch_dtype", "bfloat16");
  config.erase("dtype");
  const LlamaOptions old = LlamaOptions::from_config(config);
  EXPECT_EQ(old.rope_theta(), 1000);
  ASSERT_TRUE(old.rope_scaling());
  EXPECT_EQ(old.rope_scaling()->factor(), 8);
  EXPECT_EQ(old.dtype(), kBFloat16);
  EXPECT_EQ(LlamaOptions::from_config(config_of("qwen2")).rope_theta(), 500);
}

TEST(LanguageModelConfig, RefusesSizesThatDoNotFit) {
  using models::LlamaOptions;
  const auto llama_error = [](const LlamaOptions& options) {
    return error_of([&] { const models::Llama net(options); });
  };
  EXPECT_EQ(llama_error(LlamaOptions().vocab_size(0)),
            "models::Llama: vocab_size must be from 1 to 2147483647, got 0");
  EXPECT_EQ(llama_error(LlamaOptions().num_key_value_heads(2)),
            "models::Llama: num_key_value_heads must divide num_attention_heads, got "
            "num_key_value_heads=2 and num_attention_heads=9");
  EXPECT_EQ(llama_error(LlamaOptions().num_attention_heads(10)),
            "models::Llama: num_attention_heads must divide hidden_size, got "
            "num_attention_heads=10 and hidden_size=576");
  EXPECT_EQ(llama_error(LlamaOptions().sliding_window(0)),
            "models::Llama: sliding_window must be from 1 to 2147483647, got 0");
  EXPECT_EQ(error_of([&] { const models::GPT2 net(models::GPT2Options().n_head(7)); }),
            "models::GPT2: n_head must divide n_embd, got n_head=7 and n_embd=768");
  EXPECT_EQ(error_of([&] {
              const models::GPT2 net(models::GPT2Options().activation_function("quick_gelu"));
            }),
            "models::GPT2: unknown activation \"quick_gelu\", supported: gelu, gelu_new, "
            "gelu_pytorch_tanh, relu, silu");
  EXPECT_EQ(error_of([&] { const models::Bert net(models::BertOptions().type_vocab_size(-1)); }),
            "models::Bert: type_vocab_size must be from 1 to 2147483647, got -1");
}

TEST(LanguageModelLoading, FitsWhereModulesFit) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(6);
  auto net = llama();
  nn::AnyModule any(net);  // calls forward with its default arguments
  EXPECT_TRUE(same_bits(any.forward(ids), net(ids)));
  EXPECT_TRUE(same_bits(nn::Sequential(gpt2())->forward(ids), gpt2()(ids)));
  models::CausalLM& model = *net;
  EXPECT_EQ(&model.module(), net.ptr().get());
  EXPECT_EQ(model.make_cache(7).max_length(), 7);
}

TEST(LanguageModelConfig, IsPrinted) {
  EXPECT_EQ(printed(*llama()).substr(0, 164),
            "tern::models::Llama(vocab_size=61, hidden_size=16, intermediate_size=24, "
            "num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8)(\n  "
            "(model): ");
}

}  // namespace
}  // namespace tern
