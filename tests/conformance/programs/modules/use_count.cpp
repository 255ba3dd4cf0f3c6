#include <torch/torch.h>

#include <iostream>

// A holder owns its module once.
int main() {
  torch::nn::Linear linear(1, 1);
  std::cout << linear.ptr().use_count() << "\n";
}
