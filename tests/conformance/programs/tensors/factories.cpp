#include <torch/torch.h>

#include <iostream>

// Factory functions and the options that they take.
int main() {
  std::cout << torch::zeros({2, 3}) << "\n";
  std::cout << torch::ones({3}, torch::kInt) << "\n";
  std::cout << torch::full({2, 2}, 7.5) << "\n";
  std::cout << torch::full({2}, 3, torch::dtype(torch::kFloat64)) << "\n";
  std::cout << torch::eye(3) << "\n";
  std::cout << torch::eye(2, 4, torch::kLong) << "\n";
  std::cout << torch::arange(5) << "\n";
  std::cout << torch::arange(1, 7, 2) << "\n";
  std::cout << torch::arange(0.0, 1.0, 0.25) << "\n";
  std::cout << torch::linspace(-1, 1, 5) << "\n";
  std::cout << torch::logspace(0, 2, 3) << "\n";
  std::cout << torch::tensor({1, 2, 3}) << "\n";
  std::cout << torch::tensor({{1.5, 2.5}, {3.5, 4.5}}) << "\n";
  std::cout << torch::tensor(4.25) << "\n";
  std::cout << torch::empty({0}) << "\n";
  std::cout << torch::scalar_tensor(5, torch::kShort) << "\n";
  std::cout << torch::vander(torch::tensor({1, 2, 3})) << "\n";
}
