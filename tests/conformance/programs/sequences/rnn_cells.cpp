#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Cells, step by step.
int main() {
  torch::manual_seed(6);
  torch::Tensor x = torch::randn({3, 2, 4});
  nn::RNNCell rnn(4, 3);
  nn::GRUCell gru(nn::GRUCellOptions(4, 3));
  nn::LSTMCell lstm(nn::LSTMCellOptions(4, 3).bias(true));
  torch::Tensor h1, h2;
  std::tuple<torch::Tensor, torch::Tensor> state = {torch::zeros({2, 3}), torch::zeros({2, 3})};
  for (int64_t t = 0; t < x.size(0); ++t) {
    h1 = rnn(x[t], h1);
    h2 = gru(x[t], h2);
    state = lstm(x[t], state);
  }
  std::cout << h1 << "\n" << h2 << "\n" << std::get<0>(state) << "\n" << std::get<1>(state) << "\n";
  std::cout << rnn(x[0]) << "\n" << std::get<0>(lstm(x[0])) << "\n";
  std::cout << rnn->weight_ih.sizes() << gru->weight_hh.sizes() << lstm->bias_ih.sizes() << "\n";
  std::cout << rnn << gru << lstm << "\n";
}
