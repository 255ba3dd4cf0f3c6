#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// RNN, LSTM, GRU.
int main() {
  torch::manual_seed(5);
  torch::Tensor x = torch::randn({4, 2, 3});
  nn::RNN rnn(nn::RNNOptions(3, 2));
  auto [out, h] = rnn(x);
  std::cout << out << "\n" << h << "\n";
  nn::RNN relu(nn::RNNOptions(3, 2).nonlinearity(torch::kReLU).bias(false));
  std::cout << std::get<0>(relu(x))[3] << "\n";
  nn::LSTM lstm(nn::LSTMOptions(3, 2).num_layers(2).bidirectional(true));
  auto [y, state] = lstm(x);
  std::cout << y.sizes() << std::get<0>(state).sizes() << std::get<1>(state).sizes() << "\n"
            << y[3] << "\n";
  auto again = lstm(x, std::make_tuple(std::get<0>(state), std::get<1>(state)));
  std::cout << std::get<0>(again)[0] << "\n";
  nn::GRU gru(nn::GRUOptions(3, 2).batch_first(true));
  auto [g, hn] = gru(x.transpose(0, 1), torch::ones({1, 2, 2}));
  std::cout << g.sizes() << "\n" << hn << "\n";
  g.sum().backward();
  for (const auto& p : gru->named_parameters())
    std::cout << p.key() << p.value().sizes() << " " << p.value().grad().sum() << "\n";
  nn::LSTM projected(nn::LSTMOptions(3, 4).proj_size(2));
  std::cout << std::get<0>(projected(x)).sizes() << "\n";
  std::cout << lstm->all_weights().size() << "\n";
  lstm->flatten_parameters();
}
