#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include <torch/torch.h>

#include "bench.h"
#include "peak.h"

// Recurrent layers: forward, and with all gradients; and a training step of the model of
// examples/char_lm.cpp. With the argument "peak" after the number of threads: the memory that
// training steps of this model need beyond the program's start, in kB.

namespace {

/// Times a layer on [64, 32, 256], whose state has 256 elements.
template <class Net>
void report_layer(const std::string& what, Net net) {
  const auto x = torch::randn({64, 32, 256}).requires_grad_();
  const auto weights = net->parameters();
  std::vector<torch::Tensor> leaves = {x};
  leaves.insert(leaves.end(), weights.begin(), weights.end());
  bench::report((what + ", 64 x 32 x 256").c_str(), [&] {
    const torch::NoGradGuard no_grad;
    auto y = net->forward(x);
  });
  bench::report((what + " and its gradients, 64 x 32 x 256").c_str(), [&] {
    const auto y = std::get<0>(net->forward(x));
    auto gradients = torch::autograd::grad({y.sum()}, leaves);
  });
}

/// Times one step of one sequence.
void report_cell() {
  torch::nn::LSTMCell cell(256, 256);
  const auto x = torch::randn({1, 256}), h = torch::zeros({1, 256}), c = torch::zeros({1, 256});
  const torch::NoGradGuard no_grad;
  bench::report("LSTMCell, 1 x 256", [&] { auto next = cell->forward(x, std::make_tuple(h, c)); });
}

/// A character model and its optimizer: 32 windows of 64 of 65 characters, two layers of 128 units.
class CharacterTraining {
 public:
  CharacterTraining()
      : embedding_(65, 128),
        lstm_(torch::nn::LSTMOptions(128, 128).num_layers(2).batch_first(true)),
        head_(128, 65),
        optimizer_(parameters(), torch::optim::AdamWOptions(0.003)),
        windows_(torch::randint(65, {32, 65}, torch::kLong)) {}

  void step() {
    const auto output = std::get<0>(lstm_->forward(embedding_->forward(windows_.narrow(1, 0, 64))));
    const auto loss = torch::nn::functional::cross_entropy(head_->forward(output).flatten(0, 1),
                                                           windows_.narrow(1, 1, 64).reshape({-1}));
    optimizer_.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(parameters(), 1.0);
    optimizer_.step();
  }

 private:
  std::vector<torch::Tensor> parameters() const {
    std::vector<torch::Tensor> all = embedding_->parameters();
    for (const auto& more : {lstm_->parameters(), head_->parameters()}) {
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  torch::nn::Embedding embedding_;
  torch::nn::LSTM lstm_;
  torch::nn::Linear head_;
  torch::optim::AdamW optimizer_;
  torch::Tensor windows_;
};

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS [peak]]", 2);
  torch::set_num_threads(arguments.threads());
  if (arguments.is(2, "peak")) {
    const long start = bench::peak();
    CharacterTraining training;
    for (int i = 0; i < 5; ++i) training.step();
    std::printf("%ld\n", bench::peak() - start);
    return 0;
  }
  report_layer("LSTM", torch::nn::LSTM(256, 256));
  report_layer("GRU", torch::nn::GRU(256, 256));
  report_layer("RNN", torch::nn::RNN(256, 256));
  report_layer("LSTM of 2 layers in 2 directions",
               torch::nn::LSTM(torch::nn::LSTMOptions(256, 256).num_layers(2).bidirectional(true)));
  report_cell();
  CharacterTraining training;
  bench::report("character model, training step, batch 32", [&] { training.step(); });
}
