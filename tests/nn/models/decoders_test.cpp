#include "nn/models/language.h"

namespace tern {
namespace {

using testing::check_recorded;
using testing::first_line;
using testing::gpt2;
using testing::language_ids;
using testing::language_numbers;
using testing::llama;

/// Checks logits and the hidden states after each layer.
void check_decoder(const std::string& name, auto& net, nn::ModuleList layers, std::int64_t rows,
                   double tolerance = 1e-6) {
  const NoGradGuard no_grad;
  const auto states = std::make_shared<std::vector<Tensor>>();
  for (const auto& layer : *layers) {
    layer->register_forward_hook(
        [states](nn::Module&, const std::vector<nn::AnyValue>&, nn::AnyValue& output) {
          states->push_back(output.get<Tensor>());
        });
  }
  const Tensor logits = net(language_ids(rows));
  check_recorded(language_numbers(name + " logits"), logits.slice(1, 0, rows, 4), tolerance);
  const nlohmann::json& hidden = language_numbers(name + " hidden");
  ASSERT_EQ(states->size() + 1, hidden.size());
  for (std::size_t i = 0; i + 1 < states->size(); ++i) {  // the last one is recorded after the norm
    check_recorded(hidden.at(i + 1), (*states)[i].slice(1, 0, rows, 4), tolerance);
  }
}

TEST(GPT2Test, ComputesWhatTransformersDoes) {
  auto net = gpt2();
  check_decoder("gpt2", net, net->transformer->h, 9);
  auto narrow = gpt2(kFloat);
  check_decoder("gpt2", narrow, narrow->transformer->h, 9, 1e-5);
  const NoGradGuard no_grad;
  check_recorded(language_numbers("gpt2 hidden").back(),
                 net->transformer(language_ids(9)).slice(1, 0, 9, 4));
}

TEST(LlamaTest, ComputesWhatTransformersDoes) {
  auto net = llama();
  check_decoder("llama", net, net->model->layers, 9);
  auto narrow = llama("llama", kFloat);
  check_decoder("llama", narrow, narrow->model->layers, 9, 1e-5);
  const NoGradGuard no_grad;
  check_recorded(language_numbers("llama hidden").back(),
                 net->model(language_ids(9)).slice(1, 0, 9, 4));
}

TEST(LlamaTest, AttendsWithinAWindowAsMistral) {
  auto net = llama("mistral");
  check_decoder("mistral", net, net->model->layers, 13);
}

TEST(LlamaTest, HasBiasesAsQwen2) {
  auto net = llama("qwen2");
  check_decoder("qwen2", net, net->model->layers, 9);
}

/// Checks loss and gradients of a model in training.
void check_training(const std::string& name, auto& net) {
  net->train();
  const Tensor ids = language_ids(9);
  const Tensor logits = net(ids);
  const Tensor loss =
      cross_entropy_loss(logits.narrow(1, 0, 8).flatten(0, 1), ids.narrow(1, 1, 8).reshape({-1}));
  EXPECT_NEAR(loss.item<double>(), language_numbers(name + " loss").get<double>(), 1e-6);
  loss.backward();
  testing::check_gradients(name + " gradients", *net);
}

TEST(GPT2Test, HasTheGradientsOfTransformers) {
  auto net = gpt2();
  check_training("gpt2", net);
}

TEST(LlamaTest, HasTheGradientsOfTransformers) {
  auto net = llama();
  check_training("llama", net);
}

TEST(GPT2Test, WritesTheTextOfTransformers) {
  const auto expected = language_numbers("gpt2 greedy").get<std::vector<std::int64_t>>();
  EXPECT_EQ(testing::greedy(*gpt2(kFloat), language_ids(5).narrow(0, 0, 1).contiguous(), 100),
            expected);
}

TEST(LlamaTest, WritesTheTextOfTransformers) {
  const auto expected = language_numbers("llama greedy").get<std::vector<std::int64_t>>();
  auto net = llama("llama", kFloat);
  EXPECT_EQ(testing::greedy(*net, language_ids(5).narrow(0, 0, 1).contiguous(), 100), expected);
}

/// Checks steps with a cache, of several and of one row, against one run.
void check_steps(auto& net) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(12);
  const Tensor whole = net(ids);
  for (const std::int64_t prompt : {1, 5}) {
    nn::KVCache cache = net->make_cache(12);
    std::int64_t done = 0;
    for (const std::int64_t rows : {prompt, std::int64_t{3}, std::int64_t{1}, std::int64_t{1}}) {
      const Tensor logits = net->next_token_logits(ids.narrow(1, done, rows), cache);
      done += rows;
      EXPECT_TRUE(close(logits, whole.select(1, done - 1), 1e-12));
    }
  }
}

TEST(GPT2Test, GivesTheSameInStepsAsAtOnce) {
  auto net = gpt2();
  check_steps(net);
}

TEST(LlamaTest, GivesTheSameInStepsAsAtOnce) {
  for (const char* const name : {"llama", "mistral", "qwen2"}) {
    auto net = llama(name);
    check_steps(net);
  }
}

/// Checks that padding changes nothing: at once, at both sides, and in steps.
void check_padding(auto& net) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(8), text = ids.narrow(0, 1, 1).narrow(1, 0, 5);
  const Tensor alone = net(text);
  // The first sample has eight tokens, the second one five.
  const Tensor left = stack({ids.select(0, 0), cat({zeros({3}, kLong), text.select(0, 0)})});
  const Tensor right = stack({ids.select(0, 0), cat({text.select(0, 0), zeros({3}, kLong)})});
  const Tensor left_mask = ones({2, 8}, kBool), right_mask = ones({2, 8}, kLong);
  left_mask.select(0, 1).narrow(0, 0, 3).fill_(false);
  right_mask.select(0, 1).narrow(0, 5, 3).fill_(0);
  EXPECT_TRUE(close(net(left, left_mask).narrow(0, 1, 1).narrow(1, 3, 5), alone, 1e-12));
  EXPECT_TRUE(close(net(right, right_mask).narrow(0, 1, 1).narrow(1, 0, 5), alone, 1e-12));
  EXPECT_TRUE(close(net(left, left_mask).narrow(0, 0, 1), net(ids.narrow(0, 0, 1)), 1e-12));
  nn::KVCache cache = net->make_cache(8);
  for (const auto& [begin, rows] : {std::pair{0, 5}, {5, 1}, {6, 2}}) {
    const Tensor logits = net->next_token_logits(left.narrow(1, begin, rows), cache,
                                                 left_mask.narrow(1, 0, begin + rows));
    EXPECT_TRUE(close(logits.select(0, 1), alone.select(1, begin + rows - 4).select(0, 0), 1e-12));
  }
}

TEST(GPT2Test, DoesNotSeePadding) {
  auto net = gpt2();
  check_padding(net);
}

TEST(LlamaTest, DoesNotSeePadding) {
  for (const char* const name : {"llama", "mistral", "qwen2"}) {
    auto net = llama(name);
    check_padding(net);
  }
}

/// Checks the errors of forward and of next_token_logits. Errors leave the cache as it was.
void check_errors(auto& net, const std::string& name, const std::string& context) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(6);
  nn::KVCache cache = net->make_cache(8);
  net->next_token_logits(ids, cache);
  const auto step_error = [&](const Tensor& new_ids, const Tensor& mask = {}) {
    return first_line(error_of([&] { net->next_token_logits(new_ids, cache, mask); }));
  };
  EXPECT_EQ(step_error(ids), name + ": 6 rows in the cache and 6 new ones exceed max_length=8");
  EXPECT_EQ(step_error(ids.narrow(1, 0, 2), ones({2, 2}, kBool)),
            name +
                ": expected an attention_mask of sizes [2, 8], a column for each row in the "
                "cache and of input_ids, got [2, 2]");
  EXPECT_EQ(step_error(ids.narrow(1, 0, 2), ones({2, 8})),
            name + ": expected an attention_mask of dtype Bool, Long or Int, got Float");
  EXPECT_EQ(step_error(ids.select(0, 0)),
            name + ": expected input_ids [B, T] with at least one column, got sizes [6]");
  EXPECT_EQ(step_error(ids.to(kFloat)),
            name + ": expected input_ids of dtype Long or Int, got Float");
  const std::string range = error_of<IndexError>([&] { net(ids + 55); });
  EXPECT_NE(range.find("61"), range.npos) << range;
  EXPECT_NE(range.find("range"), range.npos) << range;
  EXPECT_EQ(cache.length(1), 6);
  nn::KVCache other(5);
  EXPECT_EQ(first_line(error_of([&] { net->next_token_logits(ids, other); })),
            name + ": the model has 2 layers, but the cache 5");
  EXPECT_EQ(first_line(error_of<ShapeError>([&] {
              net(ones({1, 129}, kLong));
            })),
            name + ": 0 rows in the cache and 129 new ones exceed " + context + "=128");
}

TEST(GPT2Test, NamesWrongInput) {
  auto net = gpt2();
  check_errors(net, "models::GPT2", "n_positions");
  EXPECT_EQ(net->context_length(), 128);
  EXPECT_EQ(net->vocab_size(), 61);
}

TEST(LlamaTest, NamesWrongInput) {
  auto net = llama();
  check_errors(net, "models::Llama", "max_position_embeddings");
  EXPECT_EQ(net->context_length(), 128);
  EXPECT_EQ(net->vocab_size(), 61);
}

/// Checks that a clone computes the same with tensors of its own, and keeps the tie.
void check_clone(auto& net) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(7), logits = net(ids);
  using Impl = typename std::remove_reference_t<decltype(net)>::ContainedType;
  std::remove_reference_t<decltype(net)> copy(std::dynamic_pointer_cast<Impl>(net->clone()));
  EXPECT_TRUE(same_bits(copy(ids), logits));
  EXPECT_EQ(copy->parameters().size(), net->parameters().size());
  for (const Tensor& parameter : copy->parameters()) parameter.fill_(0);
  EXPECT_TRUE(same_bits(net(ids), logits));
}

TEST(GPT2Test, CanBeCloned) {
  auto net = gpt2();
  check_clone(net);
}

TEST(LlamaTest, CanBeCloned) {
  for (const char* const name : {"llama", "mistral"}) {
    auto net = llama(name);
    check_clone(net);
  }
}

/// Checks that dropout acts in training alone.
TEST(GPT2Test, DropsInTraining) {
  models::GPT2 net(models::GPT2Options::from_config(testing::config_of("gpt2"))
                       .resid_pdrop(0.5)
                       .embd_pdrop(0.5)
                       .attn_pdrop(0.5));
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(7);
  EXPECT_FALSE(close(net(ids), net(ids)));
  net->eval();
  EXPECT_TRUE(same_bits(net(ids), net(ids)));
}

TEST(GPT2Test, StartsWithItsDistribution) {
  manual_seed(0);
  models::GPT2 net(
      models::GPT2Options().vocab_size(2000).n_positions(64).n_embd(64).n_head(4).n_layer(8));
  const auto deviation = [&](const char* name) {
    return net->get_parameter(name).std().item<double>();
  };
  EXPECT_NEAR(deviation("transformer.wte.weight"), 0.02, 2e-4);
  EXPECT_NEAR(deviation("transformer.h.3.attn.c_attn.weight"), 0.02, 1e-3);
  EXPECT_NEAR(deviation("transformer.h.3.attn.c_proj.weight"), 0.005, 3e-4);
  EXPECT_NEAR(deviation("transformer.h.7.mlp.c_proj.weight"), 0.005, 3e-4);
  EXPECT_EQ(deviation("transformer.h.3.attn.c_attn.bias"), 0);
  EXPECT_EQ(deviation("transformer.ln_f.weight"), 0);
}

TEST(LlamaTest, StartsWithItsDistribution) {
  manual_seed(0);
  models::Llama net(models::LlamaOptions()
                        .vocab_size(2000)
                        .hidden_size(64)
                        .intermediate_size(128)
                        .num_hidden_layers(2)
                        .num_attention_heads(4)
                        .pad_token_id(3)
                        .qkv_bias(true));
  EXPECT_NEAR(net->lm_head->weight.std().item<double>(), 0.02, 2e-4);
  EXPECT_NEAR(net->model->embed_tokens->weight.std().item<double>(), 0.02, 2e-4);
  EXPECT_EQ(net->model->embed_tokens->weight.select(0, 3).abs().max().item<double>(), 0);
  EXPECT_NEAR(net->get_parameter("model.layers.1.mlp.down_proj.weight").std().item<double>(), 0.02,
              1e-3);
  EXPECT_EQ(net->get_parameter("model.layers.1.self_attn.q_proj.bias").abs().max().item<double>(),
            0);
  EXPECT_EQ(net->get_parameter("model.norm.weight").sum().item<double>(), 64);
}

/// Checks that a few steps learn a text by heart.
TEST(LlamaTest, Learns) {
  manual_seed(1);
  models::Llama net(models::LlamaOptions::from_config(testing::config_of("llama")));
  optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(0.02));
  const Tensor ids = language_ids(12);
  double loss_value = 0;
  for (int i = 0; i < 60; ++i) {
    optimizer.zero_grad();
    const Tensor loss = cross_entropy_loss(net(ids).narrow(1, 0, 11).flatten(0, 1),
                                           ids.narrow(1, 1, 11).reshape({-1}));
    loss.backward();
    optimizer.step();
    loss_value = loss.item<double>();
  }
  EXPECT_LT(loss_value, 0.1);
}

TEST(LlamaTest, ComputesShapesOnMeta) {
  models::Llama net(models::LlamaOptions().device(Device(kMeta)));
  const NoGradGuard no_grad;
  EXPECT_EQ(net(zeros({2, 5}, TensorOptions(kLong).device(Device(kMeta)))).sizes(),
            IntArrayRef({2, 5, 49152}));
  models::GPT2 other(models::GPT2Options().device(Device(kMeta)));
  EXPECT_EQ(other(zeros({2, 5}, TensorOptions(kLong).device(Device(kMeta)))).sizes(),
            IntArrayRef({2, 5, 50257}));
  std::int64_t count = 0;
  for (const Tensor& parameter : other->parameters()) count += parameter.numel();
  EXPECT_EQ(count, 124439808);
}

// The angles of rotary embedding are float32, with the device's own cosines.
void check_device(auto& net) {
  const NoGradGuard no_grad;
  const Tensor ids = language_ids(7);
  Tensor mask = ones({2, 7}, kBool);
  mask.select(0, 1).narrow(0, 0, 2).fill_(false);
  const Tensor plain = net(ids), padded = net(ids, mask).narrow(1, 2, 5);
  const Device device("cuda:1");
  net->to(device);
  EXPECT_TRUE(close(net(ids.to(device)), plain, 1e-5));
  EXPECT_TRUE(close(net(ids.to(device), mask.to(device)).narrow(1, 2, 5), padded, 1e-5));
  nn::KVCache cache = net->make_cache(7);
  net->next_token_logits(ids.to(device).narrow(1, 0, 6), cache);
  EXPECT_TRUE(close(net->next_token_logits(ids.to(device).narrow(1, 6, 1), cache),
                    plain.select(1, 6), 1e-5));
}

TEST(GPT2Test, RunsOnDevices) {
  auto net = gpt2();
  check_device(net);
}

TEST(LlamaTest, RunsOnDevices) {
  for (const char* const name : {"llama", "mistral"}) {
    auto net = llama(name);
    check_device(net);
    EXPECT_EQ(net->lm_head->weight.is_same(net->model->embed_tokens->weight),
              net->options.tie_word_embeddings());
  }
}

}  // namespace
}  // namespace tern
