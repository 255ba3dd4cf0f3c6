#include <torch/nn.h>

#include <iostream>

// The headers of layers alone.
int main() {
  torch::manual_seed(0);
  torch::nn::Sequential net(torch::nn::Linear(2, 3), torch::nn::Tanh());
  std::cout << net->forward(torch::ones({1, 2})) << "\n" << net << "\n";
  std::cout << torch::nn::functional::relu(torch::tensor({-1.0, 1.0})) << "\n";
}
