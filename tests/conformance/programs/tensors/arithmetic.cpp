#include <torch/torch.h>

#include <iostream>

// Operators of tensors and numbers, in both orders and in place.
int main() {
  torch::Tensor a = torch::tensor({1.0f, 2.0f, 4.0f});
  torch::Tensor b = torch::tensor({2.0f, 3.0f, 5.0f});
  std::cout << a + b << "\n" << a - b << "\n" << a * b << "\n" << b / a << "\n" << -a << "\n";
  std::cout << 1 + a << "\n" << 10 - a << "\n" << 2.5 * a << "\n" << 8 / a << "\n";
  a += 1;
  a -= b;
  a *= 3;
  a /= 2;
  std::cout << a << "\n";
  std::cout << torch::add(a, b, 2) << "\n" << a.sub(b, 0.5) << "\n" << torch::mul(a, 4) << "\n";
  std::cout << torch::div(b, 2, "floor") << "\n" << torch::div(-b, 2, "trunc") << "\n";
  std::cout << torch::remainder(-b, 3) << "\n" << torch::fmod(-b, 3) << "\n" << b % 2 << "\n";
  std::cout << torch::pow(b, 2) << "\n" << torch::pow(2, b) << "\n" << b.pow(a) << "\n";
  std::cout << torch::addcmul(a, a, b, 0.1) << "\n" << torch::addcdiv(a, a, b) << "\n";
  std::cout << torch::lerp(a, b, 0.5) << "\n" << torch::clamp(a, -1, 1) << "\n";
  std::cout << b.clamp_min(3) << "\n" << b.clamp_max(3) << "\n" << torch::rsub(a, b) << "\n";
  std::cout << torch::floor_divide(b, 2) << "\n" << torch::true_divide(b, 2) << "\n";
}
