#include <torch/torch.h>

#include <iostream>

// Window functions, ranges and triangular factories.
int main() {
  std::cout << torch::hann_window(5) << "\n"
            << torch::hamming_window(4, false) << "\n"
            << torch::blackman_window(4) << "\n"
            << torch::bartlett_window(5) << "\n";
  std::cout << torch::arange(5, 0, -2) << "\n" << torch::triu_indices(2, 3) << "\n";
  std::cout << torch::linspace(0, 1, 3, torch::kDouble) << "\n"
            << torch::full_like(torch::ones({2}), 4) << "\n";
}
