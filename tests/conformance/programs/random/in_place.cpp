#include <torch/torch.h>

#include <iostream>

// Tensors filled from distributions.
int main() {
  torch::manual_seed(7);
  std::cout << torch::empty({4}).uniform_(-1, 1) << "\n";
  std::cout << torch::empty({4}).normal_(2, 0.5) << "\n";
  std::cout << torch::empty({6}).bernoulli_(0.3) << "\n";
  std::cout << torch::bernoulli(torch::tensor({0.0, 0.5, 1.0})) << "\n";
  std::cout << torch::empty({3}).exponential_(2) << "\n";
  std::cout << torch::empty({3}).log_normal_() << "\n";
  std::cout << torch::empty({3}).geometric_(0.4) << "\n";
  std::cout << torch::empty({3}, torch::kLong).random_(100) << "\n";
  std::cout << torch::empty({3}, torch::kLong).random_(5, 9) << "\n";
  std::cout << torch::multinomial(torch::tensor({0.1, 0.2, 0.7}), 5, true) << "\n";
  std::cout << torch::multinomial(torch::tensor({1.0, 1.0, 1.0}), 2) << "\n";
  std::cout << torch::poisson(torch::full({4}, 3.0)) << "\n";
  std::cout << torch::empty({2}).cauchy_() << "\n";
}
