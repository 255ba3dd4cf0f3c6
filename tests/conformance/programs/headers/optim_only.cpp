#include <torch/nn/modules/linear.h>
#include <torch/optim.h>

#include <iostream>

// The headers of optimizers.
int main() {
  torch::Tensor w = torch::ones({2}, torch::requires_grad());
  torch::optim::SGD sgd({w}, torch::optim::SGDOptions(0.5));
  (w * w).sum().backward();
  sgd.step();
  std::cout << w << "\n";
}
