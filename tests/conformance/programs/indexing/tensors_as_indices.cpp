#include <torch/torch.h>

#include <iostream>

using torch::indexing::Slice;

// Integer tensors and masks as indices.
int main() {
  torch::Tensor t = torch::arange(12).view({3, 4});
  std::cout << t.index({torch::tensor({0, 2})}) << "\n";
  std::cout << t.index({torch::tensor({0, 2}), torch::tensor({1, 3})}) << "\n";
  std::cout << t.index({Slice(), torch::tensor({3, 0})}) << "\n";
  std::cout << t.index({torch::tensor({{0}, {1}}), torch::tensor({0, 1})}) << "\n";
  std::cout << t.index({t > 6}) << "\n";
  std::cout << t.index({torch::tensor({true, false, true})}) << "\n";
  std::cout << t.masked_select(t % 2 == 0) << "\n";
  std::cout << t.index_select(1, torch::tensor({0, 0, 3})) << "\n";
  std::cout << t.take(torch::tensor({0, 5, 11})) << "\n";
  std::cout << torch::gather(t, 1, torch::tensor({{0}, {1}, {2}})) << "\n";
  std::cout << torch::nonzero(t > 8) << "\n" << torch::argwhere(t == 5) << "\n";
  std::cout << torch::take_along_dim(t, torch::argmax(t, 1, true), 1) << "\n";
  std::cout << t.index({true}).sizes() << " " << t.index({false}).sizes() << "\n";
  std::cout << t[torch::tensor(1)] << "\n";
  std::cout << torch::searchsorted(torch::tensor({1, 3, 5}), torch::tensor({0, 3, 6})) << "\n";
}
