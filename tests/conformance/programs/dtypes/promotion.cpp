#include <torch/torch.h>

#include <iostream>

// Which dtype a result has.
int main() {
  torch::Tensor i = torch::ones({2}, torch::kInt);
  torch::Tensor l = torch::ones({2}, torch::kLong);
  torch::Tensor f = torch::ones({2}, torch::kFloat);
  torch::Tensor d = torch::ones({2}, torch::kDouble);
  torch::Tensor b = torch::ones({2}, torch::kBool);
  torch::Tensor h = torch::ones({2}, torch::kHalf);
  std::cout << (i + l).dtype() << " " << (i + f).dtype() << " " << (f + d).dtype() << " "
            << (b + i).dtype() << "\n";
  std::cout << (h + f).dtype() << " " << (h + l).dtype() << " " << (b + b).dtype() << "\n";
  std::cout << (i + 1).dtype() << " " << (i + 1.5).dtype() << " " << (f + 1.5).dtype() << " "
            << (b + 1).dtype() << "\n";
  std::cout << (f + torch::tensor(1.0, torch::kDouble)).dtype() << "\n";
  std::cout << (i / i).dtype() << " " << i.sqrt().dtype() << " " << i.mean(torch::kFloat).dtype()
            << "\n";
  std::cout << torch::promote_types(torch::kByte, torch::kChar) << " "
            << torch::promote_types(torch::kBFloat16, torch::kHalf) << "\n";
  std::cout << torch::result_type(i, d) << " " << torch::result_type(f, 2.0) << "\n";
  std::cout << torch::can_cast(torch::kDouble, torch::kFloat)
            << torch::can_cast(torch::kFloat, torch::kLong) << "\n";
  std::cout << torch::cat({i, f}).dtype() << " " << torch::where(b, i, d).dtype() << "\n";
  std::cout << c10::isIntegralType(torch::kLong, false) << c10::isFloatingType(torch::kHalf)
            << "\n";
  std::cout << c10::toString(torch::kBFloat16) << " " << c10::elementSize(torch::kDouble) << "\n";
}
