#include <functional>

#include <tern/nn/models/llama.h>
#include <tern/nn/optim/optim.h>
#include <tern/nn/quantize.h>
#include <tern/nn/utils.h>

#include "nn/nn_test.h"

namespace tern {
namespace {

using nn::utils::add_lora;
using nn::utils::LoraOptions;

nn::Sequential make_net() {
  manual_seed(3);
  nn::Sequential net(nn::Linear(6, 5), nn::Tanh(), nn::Linear(5, 4));
  net->to(kDouble);
  return net;
}

const LoraOptions kOptions = LoraOptions(2).alpha(3).targets({"*"});

// The formula, with the weights as they are and two matrices for each layer.
Tensor by_formula(const nn::Sequential& net, const std::vector<Tensor>& matrices, const Tensor& x) {
  const auto layer = [&](const char* name, std::size_t first, const Tensor& in) {
    const auto linear = net->get_submodule(name);
    const Tensor weight = linear->named_parameters(false)["weight"].detach() +
                          1.5 * mm(matrices[first + 1], matrices[first]);
    return tern::linear(in, weight, linear->named_parameters(false)["bias"].detach());
  };
  return layer("2", 2, tanh(layer("0", 0, x)));
}

TEST(Lora, StartsAsTheModuleAndTrainsTheMatricesAlone) {
  const nn::Sequential net = make_net();
  const Tensor x = randn({7, 6}, kDouble), before = net->forward(x);
  EXPECT_EQ(add_lora(*net, kOptions), 2U);
  EXPECT_TRUE(equal(net->forward(x), before));
  std::vector<std::string> trained;
  for (const auto& [name, parameter] : net->named_parameters()) {
    if (parameter.requires_grad()) trained.push_back(name);
  }
  EXPECT_EQ(trained, (std::vector<std::string>{"0.lora_A.weight", "0.lora_B.weight",
                                               "2.lora_A.weight", "2.lora_B.weight"}));
}

TEST(Lora, StepsAreThoseOfTheFormula) {
  const nn::Sequential net = make_net();
  add_lora(*net, kOptions);
  std::vector<Tensor> matrices;
  for (const auto& [key, value] : nn::utils::lora_state_dict(*net)) {
    matrices.push_back(value.tensor().clone().requires_grad_());
  }
  optim::Adam mine(net->parameters(), 1e-2), reference(matrices, 1e-2);
  const Tensor x = randn({7, 6}, kDouble);
  for (int step = 0; step < 5; ++step) {
    const Tensor loss = net->forward(x).square().mean();
    const Tensor expected = by_formula(net, matrices, x).square().mean();
    EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-13);
    mine.zero_grad();
    reference.zero_grad();
    loss.backward();
    expected.backward();
    mine.step();
    reference.step();
  }
  std::size_t i = 0;
  for (const auto& [key, value] : nn::utils::lora_state_dict(*net)) {
    EXPECT_TRUE(allclose(value.tensor(), matrices[i++], 1e-12, 1e-12)) << key;
  }
}

TEST(Lora, TheStateHasTheAdaptersAlone) {
  const nn::Sequential net = make_net(), other = make_net();
  add_lora(*net, kOptions);
  add_lora(*other, kOptions);
  for (const Tensor& parameter : net->parameters()) {
    if (parameter.requires_grad()) parameter.detach().normal_();
  }
  const State state = nn::utils::lora_state_dict(*net);
  EXPECT_EQ(state.size(), 4U);
  EXPECT_TRUE(state.contains("base_model.model.0.lora_A.weight"));
  nn::utils::load_lora_state_dict(*other, state);
  const Tensor x = randn({3, 6}, kDouble);
  EXPECT_TRUE(equal(net->forward(x), other->forward(x)));
}

TEST(Lora, WrongStatesChangeNothing) {
  const nn::Sequential net = make_net();
  add_lora(*net, kOptions);
  const State good = nn::utils::lora_state_dict(*net);
  const auto error_of_state = [&](const State& state) {
    return error_of([&] { nn::utils::load_lora_state_dict(*net, state); });
  };
  State missing, wrong, more;
  for (const auto& [key, value] : good) {
    const Tensor changed = value.tensor() + 1;
    if (key != "base_model.model.2.lora_B.weight") missing.insert(key, changed);
    wrong.insert(key, key == "base_model.model.2.lora_B.weight" ? ones({4, 3}) : changed);
    more.insert(key, changed);
  }
  more.insert("x", ones({1}));
  EXPECT_EQ(error_of_state(missing),
            "load_lora_state_dict: 'base_model.model.2.lora_B.weight' is missing");
  EXPECT_EQ(error_of_state(wrong),
            "load_lora_state_dict: 'base_model.model.2.lora_B.weight' must have the sizes [4, 2], "
            "got [4, 3]");
  EXPECT_EQ(error_of_state(more),
            "load_lora_state_dict: the state has 5 tensors, and the module's adapters have 4");
  for (const auto& [key, value] : nn::utils::lora_state_dict(*net)) {
    EXPECT_TRUE(equal(value.tensor(), good[key].tensor())) << key;
  }
}

TEST(Lora, MergesIntoTheWeights) {
  const nn::Sequential net = make_net();
  add_lora(*net, kOptions);
  for (const Tensor& parameter : net->parameters()) {
    if (parameter.requires_grad()) parameter.detach().normal_();
  }
  const Tensor x = randn({3, 6}, kDouble), adapted = net->forward(x);
  nn::utils::merge_lora(*net);
  EXPECT_EQ(net->named_parameters().keys(), make_net()->named_parameters().keys());
  EXPECT_TRUE(allclose(net->forward(x), adapted, 1e-12, 1e-12));
  EXPECT_FALSE(net->get_submodule("0")->has_forward_hooks());
}

TEST(Lora, WrongOptionsChangeNothing) {
  const nn::Sequential net = make_net();
  EXPECT_EQ(error_of([&] { add_lora(*net, LoraOptions(0)); }),
            "add_lora: the rank must be positive, got 0");
  EXPECT_EQ(error_of([&] {
              add_lora(*net, LoraOptions(1).targets({"0", "*q_proj"}));
            }),
            "add_lora: no Linear of tern::nn::SequentialImpl has a name that matches '*q_proj'");
  EXPECT_TRUE(net->parameters()[0].requires_grad());
  add_lora(*net, LoraOptions(1).targets({"2"}));
  EXPECT_EQ(error_of([&] { add_lora(*net, kOptions); }), "add_lora: '2' is adapted already");
  EXPECT_EQ(nn::utils::lora_state_dict(*net).size(), 2U);
  nn::MultiheadAttention attention(8, 2);
  EXPECT_EQ(error_of([&] { add_lora(*attention, LoraOptions(1).targets({"out_proj"})); }),
            "add_lora: 'out_proj' cannot be adapted, because MultiheadAttention reads its weight "
            "itself");
}

TEST(Lora, TrainsBesideQuantizedWeights) {
  manual_seed(4);
  nn::Sequential net(nn::Linear(32, 8));
  nn::quantize_(net, BlockFormat::kQ8_0);
  const Tensor x = randn({5, 32}), before = net->forward(x);
  add_lora(*net, kOptions);
  EXPECT_TRUE(equal(net->forward(x), before));
  optim::Adam adam(net->parameters(), 1e-2);
  for (int step = 0; step < 20; ++step) {
    adam.zero_grad();
    net->forward(x).square().mean().backward();
    adam.step();
  }
  EXPECT_LT(net->forward(x).square().mean().item<double>(),
            0.9 * before.square().mean().item<double>());
  EXPECT_EQ(error_of([&] { nn::utils::merge_lora(*net); }),
            "merge_lora: '0' has a quantised weight, which cannot be changed; keep the adapter");
}

// A clone of a module and of each of its adapted parts computes the same, with adapters of its own.
void check_clone(nn::Module& module, const std::function<Tensor(nn::Module&)>& run) {
  for (const Tensor& parameter : module.parameters()) {
    if (parameter.requires_grad()) parameter.detach().normal_(0, 0.1);
  }
  const Tensor before = run(module);
  const State state = nn::utils::lora_state_dict(module);
  const std::shared_ptr<nn::Module> copy = module.clone();
  EXPECT_TRUE(equal(run(*copy), before));
  EXPECT_EQ(copy->named_parameters().keys(), module.named_parameters().keys());
  const State copied = nn::utils::lora_state_dict(*copy);
  ASSERT_EQ(copied.size(), state.size());
  for (const auto& [key, value] : state) {
    EXPECT_TRUE(equal(copied[key].tensor(), value.tensor())) << key;
    EXPECT_NE(copied[key].tensor().data_ptr(), value.tensor().data_ptr()) << key;
  }
  // The copy trains its own adapters, and those alone.
  std::size_t trained = 0;
  for (const Tensor& parameter : copy->parameters()) trained += parameter.requires_grad() ? 1 : 0;
  EXPECT_EQ(trained, state.size());
  optim::Adam adam(copy->parameters(), 1e-2);
  run(*copy).square().mean().backward();
  adam.step();
  EXPECT_FALSE(equal(run(*copy), before));
  EXPECT_TRUE(equal(run(module), before));
}

TEST(Lora, AClonedModuleHasItsOwnAdapters) {
  const nn::Sequential net = make_net();
  const Tensor x = randn({3, 6}, kDouble);
  add_lora(*net, kOptions);
  check_clone(*net, [&](nn::Module& module) { return module.as<nn::Sequential>()->forward(x); });
  const auto layer = std::dynamic_pointer_cast<nn::LinearImpl>(net->get_submodule("0"));
  check_clone(*layer, [&](nn::Module& module) {
    return nn::Linear(std::dynamic_pointer_cast<nn::LinearImpl>(module.shared_from_this()))(x);
  });
  // The copy can be merged and adapted anew; the original keeps its adapters.
  const auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(net->clone());
  const Tensor adapted = net->forward(x);
  nn::utils::merge_lora(*copy);
  EXPECT_TRUE(allclose(copy->forward(x), adapted, 1e-12, 1e-12));
  EXPECT_EQ(add_lora(*copy, kOptions), 2U);
  EXPECT_TRUE(equal(net->forward(x), adapted));
}

TEST(Lora, AClonedLanguageModelHasItsOwnAdapters) {
  manual_seed(5);
  models::Llama net(models::LlamaOptions()
                        .vocab_size(20)
                        .hidden_size(32)
                        .intermediate_size(64)
                        .num_hidden_layers(2)
                        .num_attention_heads(4)
                        .num_key_value_heads(2)
                        .tie_word_embeddings(true));
  const Tensor ids = arange(6).unsqueeze(0);
  const auto run = [&](nn::Module& module) {
    return dynamic_cast<models::LlamaImpl&>(module).forward(ids);
  };
  const auto adapt = [](nn::Module& module) {
    add_lora(module, LoraOptions(2).targets({"*_proj"}));
  };
  adapt(*net);
  check_clone(*net, run);
  nn::utils::merge_lora(*net);
  nn::quantize_(*net, BlockFormat::kQ8_0);
  adapt(*net);
  check_clone(*net, run);
}

TEST(Lora, MergesIntoATiedWeightOfItsOwn) {
  const nn::Embedding words(6, 4);
  const nn::Linear head(nn::LinearOptions(4, 6).bias(false));
  head->replace_parameter("weight", words->weight);
  const nn::Sequential net{words, head};
  nn::utils::add_lora(*net, nn::utils::LoraOptions(2).targets({"*"}));
  for (const Tensor& parameter : net->parameters()) {
    if (parameter.requires_grad()) nn::init::normal_(parameter);
  }
  const Tensor ids = tensor({1, 5}), before = net(ids), table = words->weight.detach().clone();
  nn::utils::merge_lora(*net);
  EXPECT_TRUE(allclose(net(ids), before, 1e-4, 1e-5));
  EXPECT_TRUE(same_bits(words->weight.detach(), table));
  EXPECT_FALSE(head->weight.requires_grad());
}

TEST(Lora, DoesNotMergeIntoAParametrizedWeight) {
  const nn::Linear layer(3, 3);
  const nn::Sequential net{layer};
  nn::utils::add_lora(*net, nn::utils::LoraOptions(2).targets({"*"}));
  nn::utils::parametrizations::weight_norm(layer);
  EXPECT_EQ(error_of([&] { nn::utils::merge_lora(*net); }),
            "merge_lora: '0' has a parametrized weight; remove the parametrization first");
}

}  // namespace
}  // namespace tern
