#include <torch/torch.h>

#include <iostream>

// Comparisons, equal, allclose, where and logic.
int main() {
  torch::Tensor a = torch::tensor({1.0, 2.0, 3.0, 4.0});
  torch::Tensor b = torch::tensor({4.0, 2.0, 1.0, 4.0});
  std::cout << (a == b) << "\n" << (a != b) << "\n" << (a < b) << "\n" << (a >= 2) << "\n";
  std::cout << a.eq(b).sum().item<int64_t>() << " " << a.gt(b).any().item<bool>() << " "
            << a.le(4).all().item<bool>() << "\n";
  std::cout << torch::equal(a, a.clone()) << torch::equal(a, b) << "\n";
  std::cout << torch::allclose(a, a + 1e-9) << torch::allclose(a, b) << "\n";
  std::cout << torch::isclose(a, b, 1e-5, 0.5) << "\n";
  std::cout << torch::where(a > b, a, b) << "\n";
  std::cout << torch::where(a > 2, 1.0, -1.0) << "\n";
  std::cout << ((a > 1) & (b > 1)) << "\n"
            << ((a > 3) | (b < 2)) << "\n"
            << ((a > 3) ^ (b > 3)) << "\n";
  std::cout << (~(a > 1)) << "\n" << torch::logical_not(a - 1) << "\n";
  std::cout << torch::isnan(torch::tensor({NAN, 1.0f})) << "\n";
  std::cout << torch::isfinite(torch::tensor({INFINITY, 1.0f, -INFINITY})) << "\n";
  std::cout << torch::maximum(a, b) << "\n" << torch::min(a, b) << "\n" << torch::max(a, b) << "\n";
}
