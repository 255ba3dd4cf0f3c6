#include <tern/nn/data/data.h>
#include <tern/nn/optim/optim.h>

#include "nn/nn_test.h"

// A usual training program beside the same one in Python: golden/nn/training.json has the losses of
// golden/nn/training.py.

namespace tern {
namespace {

/// Rows of four words; the class is the last digit of the first one.
struct Words : data::Dataset<Words> {
  data::Example<> get(std::size_t i) override {
    const auto row = static_cast<std::int64_t>(i);
    const Tensor words = (arange(4, kLong) * 13 + row * 7) % 50;
    return {words, words[0] % 10};
  }
  std::optional<std::size_t> size() const override { return 800; }
};

struct NetImpl : nn::Module {
  Tensor forward(const Tensor& words) {
    const Tensor x = embedding(words).flatten(1);
    return fc2(dropout(relu(fc1(x))));
  }

  nn::Embedding embedding = register_module("embedding", nn::Embedding(50, 16));
  nn::Linear fc1 = register_module("fc1", nn::Linear(64, 64));
  nn::Dropout dropout = register_module("dropout", nn::Dropout(0.1));
  nn::Linear fc2 = register_module("fc2", nn::Linear(64, 10));
};
TERN_MODULE(Net);

TEST(Training, HasTheLossesOfPyTorch) {
  const Tensor golden = testing::golden_tensor(testing::golden("nn/training")["losses"], kFloat);
  const std::int64_t steps = golden.numel();
  manual_seed(1);
  Net net;
  const auto loader = data::make_data_loader<data::samplers::SequentialSampler>(
      Words().map(data::transforms::Stack<>()),
      data::DataLoaderOptions(32).workers(2).drop_last(true));
  optim::AdamW optimizer(net->parameters(), optim::AdamWOptions(1e-3).weight_decay(0.05));
  optim::OneCycleLR scheduler(optimizer, optim::OneCycleLROptions(1e-2).total_steps(steps));
  std::vector<float> losses;
  while (std::ssize(losses) < steps) {
    for (const auto& batch : *loader) {
      optimizer.zero_grad();
      const Tensor loss = nn::functional::cross_entropy(
          net(batch.data), batch.target,
          nn::functional::CrossEntropyFuncOptions().label_smoothing(0.1));
      loss.backward();
      nn::utils::clip_grad_norm_(net->parameters(), 1.0);
      optimizer.step();
      scheduler.step();
      losses.push_back(loss.item<float>());
    }
  }
  EXPECT_LE((tensor(losses) - golden).abs().max().item<float>(), 1e-5f);
  EXPECT_LT(losses.back(), losses.front() / 2);
}

}  // namespace
}  // namespace tern
