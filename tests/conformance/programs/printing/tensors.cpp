#include <torch/torch.h>

#include <iostream>
#include <sstream>

// The forms in which tensors print.
int main() {
  std::cout << torch::tensor(3) << "\n"
            << torch::tensor(2.5) << "\n"
            << torch::ones({2}) << "\n"
            << torch::ones({2, 2}) << "\n";
  std::cout << torch::arange(12).view({2, 2, 3}) << "\n"
            << torch::zeros({0}) << "\n"
            << torch::zeros({2, 0}) << "\n";
  std::cout << torch::tensor({true, false}) << "\n"
            << torch::tensor({1e-6, 1.0}) << "\n"
            << torch::tensor({1e8, 1.0}) << "\n";
  std::cout << torch::tensor({NAN, INFINITY, -INFINITY, 1.f}) << "\n"
            << torch::tensor({-1.25, 100.5}) << "\n";
  std::cout << torch::ones({2}, torch::kHalf) << "\n"
            << torch::ones({2}, torch::kBFloat16) << "\n"
            << torch::ones({2}, torch::kByte) << "\n";
  std::cout << torch::Tensor() << "\n" << torch::ones({1, 1, 1, 2}) << "\n";
  std::cout << torch::arange(30).view({1, 30}) << "\n" << torch::rand({2, 30}).zero_() << "\n";
  std::ostringstream stream;
  stream << torch::eye(2) * 1000000;
  std::cout << stream.str() << "\n";
  std::cout << torch::str(torch::tensor({1, 2}), " and ", 3) << "\n";
  torch::print(std::cout, torch::ones({2, 9}), 40);
  std::cout << "\n"
            << torch::tensor({0.5f}).requires_grad_() << "\n"
            << torch::tensor({1000.0, 0.001}) << "\n";
}
