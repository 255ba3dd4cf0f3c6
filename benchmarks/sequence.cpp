#include <string>
#include <tuple>

#include <torch/torch.h>

#include "bench.h"

// Recurrent layers: forward, and with all gradients.

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

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  report_layer("LSTM", torch::nn::LSTM(256, 256));
  report_layer("GRU", torch::nn::GRU(256, 256));
  report_layer("RNN", torch::nn::RNN(256, 256));
  report_layer("LSTM of 2 layers in 2 directions",
               torch::nn::LSTM(torch::nn::LSTMOptions(256, 256).num_layers(2).bidirectional(true)));
  report_cell();
}
