#include <torch/torch.h>

#include <iostream>

// Integers: division, shifts, bits and overflow.
int main() {
  torch::Tensor a = torch::tensor({7, -7, 12}, torch::kInt);
  torch::Tensor b = torch::tensor({2, 2, 5}, torch::kInt);
  std::cout << torch::floor_divide(a, b) << "\n"
            << torch::div(a, b, "trunc") << "\n"
            << torch::remainder(a, b) << "\n"
            << torch::fmod(a, b) << "\n";
  std::cout << (a & b) << "\n"
            << (a | b) << "\n"
            << (a ^ b) << "\n"
            << torch::bitwise_not(a) << "\n";
  std::cout << torch::bitwise_left_shift(b, 3) << "\n"
            << torch::bitwise_right_shift(a, 1) << "\n"
            << torch::bitwise_left_shift(a, b) << "\n";
  std::cout << torch::gcd(a, b) << "\n"
            << torch::lcm(a, b) << "\n"
            << a.abs() << "\n"
            << torch::sign(a) << "\n";
  std::cout << torch::tensor({200, 100}, torch::kByte) + torch::tensor({100, 100}, torch::kByte)
            << "\n";
  std::cout << torch::tensor({127}, torch::kChar) + 1 << "\n"
            << torch::pow(b, 3) << "\n"
            << torch::clamp(a, -1, 8) << "\n";
  std::cout << a.max().item<int>() << a.sum().dtype() << a.cumsum(0) << "\n";
}
