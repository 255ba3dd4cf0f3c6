#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <tern/core/autograd/grad_mode.h>
#include <tern/nn/models.h>
#include <tern/nn/optim/adamw.h>
#include <tern/nn/optim/sgd.h>
#include <tern/serialization/json_document.h>
#include <tern/serialization/state_file.h>

#include "nn/nn_test.h"

// golden/nn/language.py makes the models and records what transformers computes with them.

namespace tern::testing {

inline std::string language_folder(const std::string& name) {
  return golden_folder() + "/nn/language/" + name;
}

inline const nlohmann::json& language_numbers(const std::string& name) {
  return golden("nn/language").at(name);
}

inline State config_of(const std::string& name) {
  return load_json(language_folder(name) + "/config.json");
}

/// Loads a recorded model in a dtype, in evaluation. `Net` is the holder, `Options` its options.
template <class Net, class Options>
Net load_language(const std::string& name, ScalarType dtype = kDouble) {
  Net net(Options::from_config(config_of(name)).dtype(dtype));
  load(net, language_folder(name), nn::LoadOptions{.cast = true});
  net->eval();
  return net;
}

inline models::GPT2 gpt2(ScalarType dtype = kDouble) {
  return load_language<models::GPT2, models::GPT2Options>("gpt2", dtype);
}
inline models::Llama llama(const std::string& name = "llama", ScalarType dtype = kDouble) {
  return load_language<models::Llama, models::LlamaOptions>(name, dtype);
}
inline models::Bert bert(ScalarType dtype = kDouble) {
  return load_language<models::Bert, models::BertOptions>("bert", dtype);
}

/// The ids of language.py.
inline Tensor language_ids(std::int64_t rows) {
  const Tensor i = arange(rows), b = arange(2).unsqueeze(1);
  return (i * i * 7 + i * 11 + b * 5 + 3).remainder(60) + 1;
}

/// Returns an error without the names of the modules that ran.
inline std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Checks a tensor against recorded numbers, within a part of their largest.
inline void check_recorded(const nlohmann::json& recorded, const Tensor& actual,
                           double tolerance = 1e-6) {
  const Tensor expected = golden_tensor(recorded);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const double largest = expected.abs().max().item<double>();
  EXPECT_LT((actual.detach().cpu().to(kDouble) - expected).abs().max().item<double>(),
            tolerance * largest)
      << actual.sizes();
}

/// Checks the gradients of all parameters: their sums, sums of squares and products with cos(i),
/// within a part of the norms. The angles of rotary embedding are float32.
inline void check_gradients(const std::string& name, const nn::Module& net) {
  const nlohmann::json& recorded = language_numbers(name);
  std::size_t count = 0;
  for (const auto& [key, parameter] : net.named_parameters()) {
    const Tensor gradient = parameter.grad().flatten();
    const std::int64_t numel = gradient.numel();
    const std::vector<double> expected = golden_numbers(recorded.at(key));
    const double tolerance = 1e-5 * std::sqrt(expected[1] * static_cast<double>(numel)) + 1e-9;
    EXPECT_NEAR(gradient.sum().item<double>(), expected[0], tolerance) << key;
    EXPECT_NEAR(gradient.square().sum().item<double>(), expected[1], 1e-5 * expected[1] + 1e-9)
        << key;
    const Tensor wave = arange(numel, TensorOptions(kDouble)).cos();
    EXPECT_NEAR(gradient.dot(wave).item<double>(), expected[2], tolerance) << key;
    ++count;
  }
  EXPECT_EQ(count, recorded.size());
}

/// Continues a prompt with the best tokens.
inline std::vector<std::int64_t> greedy(models::CausalLM& net, const Tensor& prompt, int tokens) {
  const NoGradGuard no_grad;
  nn::KVCache cache = net.make_cache(prompt.size(1) + tokens);
  std::vector<std::int64_t> text(prompt.data_ptr<std::int64_t>(),
                                 prompt.data_ptr<std::int64_t>() + prompt.numel());
  Tensor next = prompt;
  for (int i = 0; i < tokens; ++i) {
    next = net.next_token_logits(next, cache).argmax(-1, /*keepdim=*/true);
    text.push_back(next.item<std::int64_t>());
  }
  return text;
}

}  // namespace tern::testing
