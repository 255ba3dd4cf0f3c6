#include <torch/torch.h>

#include <iostream>

// select, split and friends that copy or scatter, and the put-back forms.
int main() {
  torch::Tensor t = torch::arange(12, torch::kFloat).view({3, 4});
  std::cout << torch::slice_scatter(t, torch::zeros({3, 2}), 1, 1, 3) << "\n"
            << torch::diagonal_scatter(t, torch::full({3}, -1.f)) << "\n";
  std::cout << t.index_put({torch::tensor({0})}, torch::zeros({4})) << "\n"
            << t.index_add(0, torch::tensor({0, 0}), torch::ones({2, 4})) << "\n";
  std::cout << t.index_fill(1, torch::tensor({0, 3}), 9) << "\n"
            << t.index_copy(0, torch::tensor({2}), torch::zeros({1, 4})) << "\n";
  std::cout << torch::where(t > 5)[0] << "\n"
            << t.nonzero().sizes() << "\n"
            << torch::masked_select(t, t < 2) << "\n";
}
