#include <torch/torch.h>

#include <iostream>

// Random tensors after a seed.
int main() {
  torch::manual_seed(42);
  std::cout << torch::rand({2, 3}) << "\n";
  std::cout << torch::randn({2, 3}) << "\n";
  std::cout << torch::randint(10, {5}) << "\n";
  std::cout << torch::randint(3, 8, {2, 2}) << "\n";
  std::cout << torch::randperm(8) << "\n";
  std::cout << torch::normal(5.0, 2.0, {3}) << "\n";
  std::cout << torch::rand({2}, torch::kDouble) << "\n";
  std::cout << torch::randn_like(torch::zeros({2})) << "\n";
  std::cout << torch::rand_like(torch::zeros({2})) << "\n";
  std::cout << torch::randint_like(torch::zeros({4}), 5) << "\n";
  std::cout << torch::randn({20}).sum().item<float>() << "\n";
  torch::manual_seed(42);
  std::cout << torch::rand({1}).item<float>() << "\n";
}
