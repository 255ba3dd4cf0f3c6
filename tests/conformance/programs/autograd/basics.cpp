#include <torch/torch.h>

#include <iostream>

// Gradients of a small graph.
int main() {
  torch::Tensor x = torch::tensor({1.0, 2.0, 3.0}, torch::requires_grad());
  torch::Tensor w = torch::full({3}, 0.5, torch::requires_grad());
  torch::Tensor y = (x * w).pow(2).sum();
  std::cout << y.requires_grad() << x.is_leaf() << y.is_leaf() << "\n";
  std::cout << y.grad_fn()->name() << "\n";
  y.backward();
  std::cout << x.grad() << "\n" << w.grad() << "\n";
  (x * 2).sum().backward();
  std::cout << x.grad() << "\n";
  x.mutable_grad().zero_();
  std::cout << x.grad().sum() << "\n";
  x.mutable_grad() = torch::Tensor();
  std::cout << x.grad().defined() << "\n";
  torch::Tensor z = x * 3;
  z.backward(torch::tensor({1.0, 10.0, 100.0}));
  std::cout << x.grad() << "\n";
  std::cout << z.output_nr() << " " << z.detach().requires_grad() << "\n";
  torch::Tensor a = torch::ones({2});
  std::cout << a.requires_grad_().requires_grad() << a.set_requires_grad(false).requires_grad()
            << "\n";
}
