#include <torch/torch.h>

#include <iostream>

// The address of a function as a pointer of libtorch's type.
int main() {
  auto* f = static_cast<torch::Tensor (*)(const torch::Tensor&)>(&torch::sigmoid);
  std::cout << f(torch::zeros({1})) << "\n";
}
