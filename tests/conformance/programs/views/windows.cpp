#include <torch/torch.h>

#include <iostream>

// unfold, roll, flip, tril and other rearrangements.
int main() {
  torch::Tensor t = torch::arange(8);
  std::cout << t.unfold(0, 3, 2) << "\n";
  torch::Tensor m = torch::arange(9).view({3, 3});
  std::cout << m.flip({0}) << "\n" << m.fliplr() << "\n" << m.flipud() << "\n" << m.rot90() << "\n";
  std::cout << m.roll(1) << "\n" << m.roll({1, 1}, {0, 1}) << "\n";
  std::cout << m.tril() << "\n"
            << m.triu(1) << "\n"
            << m.diag() << "\n"
            << torch::diag(torch::arange(2)) << "\n";
  std::cout << torch::diag_embed(torch::tensor({1, 2})) << "\n"
            << torch::tril_indices(3, 3) << "\n";
  std::cout << torch::diagflat(torch::tensor({1, 2}), 1) << "\n";
  std::cout << torch::narrow(m, 0, 1, 2) << "\n";
  std::cout << m.diagonal(1) << "\n" << torch::trace(m) << "\n";
  std::cout << torch::select_scatter(m, torch::zeros({3}, torch::kLong), 0, 1) << "\n";
  std::cout << torch::combinations(torch::arange(4)) << "\n";
}
