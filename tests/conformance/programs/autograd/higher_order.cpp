#include <torch/torch.h>

#include <iostream>

// Gradients of gradients.
int main() {
  torch::Tensor x = torch::tensor({2.0, -1.0}, torch::dtype(torch::kDouble).requires_grad(true));
  torch::Tensor y = x.pow(4).sum();
  torch::Tensor first = torch::autograd::grad({y}, {x}, {}, true, /*create_graph=*/true)[0];
  torch::Tensor second = torch::autograd::grad({first.sum()}, {x}, {}, true, true)[0];
  torch::Tensor third = torch::autograd::grad({second.sum()}, {x})[0];
  std::cout << first << "\n" << second << "\n" << third << "\n";
  std::cout << first.requires_grad() << third.requires_grad() << "\n";
  torch::Tensor s = torch::tensor(0.5, torch::dtype(torch::kDouble).requires_grad(true));
  torch::Tensor g = s.sin();
  for (int i = 0; i < 4; ++i) {
    g = torch::autograd::grad({g}, {s}, {}, true, true)[0];
    std::cout << g << "\n";
  }
}
