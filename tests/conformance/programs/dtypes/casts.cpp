#include <torch/torch.h>

#include <iostream>

// Conversions between dtypes.
int main() {
  torch::Tensor x = torch::tensor({-1.7, 0.0, 2.9});
  std::cout << x.to(torch::kInt) << "\n"
            << x.to(torch::kBool) << "\n"
            << x.to(torch::kHalf) << "\n";
  std::cout << x.toType(torch::kLong) << "\n" << x.type_as(torch::ones({1}, torch::kShort)) << "\n";
  std::cout << x.to(torch::ones({1}, torch::kDouble)).dtype() << "\n";
  std::cout << x.to(torch::kCPU).is_same(x) << x.to(torch::kFloat).is_same(x)
            << x.to(torch::kFloat, false, true).is_same(x) << "\n";
  std::cout << x.to(torch::TensorOptions().dtype(torch::kDouble)).dtype() << "\n";
  std::cout << x.to(torch::kCPU, torch::kByte).dtype() << "\n";
  std::cout << torch::tensor({300, -1}).to(torch::kByte) << "\n";
  std::cout << torch::tensor({1.5f, 2.5f, 3.5f}).round().to(torch::kLong) << "\n";
  std::cout << torch::ones({2}, torch::kBFloat16) / 3 << "\n";
  std::cout << x[2].item<double>() - 2.9f << "\n";
}
