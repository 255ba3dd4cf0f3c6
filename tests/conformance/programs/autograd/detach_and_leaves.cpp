#include <torch/torch.h>

#include <iostream>

// detach, detach_, in-place ops behind views, and accumulation.
int main() {
  torch::Tensor x = torch::tensor({1.0, 2.0, 3.0, 4.0}, torch::requires_grad());
  torch::Tensor y = x * 2;
  torch::Tensor d = y.detach();
  std::cout << d.requires_grad() << d.is_leaf() << (d.data_ptr() == y.data_ptr()) << "\n";
  (y.detach() * x).sum().backward();
  std::cout << x.grad() << "\n";
  torch::Tensor z = x.clone();
  z.slice(0, 1, 3).mul_(10);
  z.sum().backward();
  std::cout << x.grad() << "\n";
  torch::Tensor w = x * 3;
  w.detach_();
  std::cout << w.requires_grad() << w.is_leaf() << "\n";
  torch::Tensor filled = torch::zeros({2, 4});
  filled[0] = x;
  std::cout << filled.requires_grad() << "\n";
  filled.sum().backward();
  std::cout << x.grad() << "\n";
  x.grad().zero_();
  for (int i = 0; i < 3; ++i) (x * i).sum().backward();
  std::cout << x.grad() << "\n";
  std::cout << x.data().requires_grad() << x.variable_data().requires_grad() << "\n";
}
