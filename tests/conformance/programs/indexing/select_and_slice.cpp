#include <torch/torch.h>

#include <iostream>

using namespace torch::indexing;

// Index with integers, slices, None and Ellipsis.
int main() {
  torch::Tensor t = torch::arange(24).view({2, 3, 4});
  std::cout << t.index({0, 1, 2}).item<int64_t>() << "\n";
  std::cout << t.index({1}).sizes() << t.index({Slice(), 1}).sizes() << "\n";
  std::cout << t.index({Slice(), Slice(0, 2), Slice(None, None, 2)}) << "\n";
  std::cout << t.index({Ellipsis, 0}) << "\n" << t.index({"...", -1}) << "\n";
  std::cout << t.index({None, 0}).sizes() << " " << t.index({0, None, Ellipsis, None}).sizes()
            << "\n";
  std::cout << t.index({0, Slice(1)}) << "\n" << t.index({0, Slice(None, -1), Slice(1, 3)}) << "\n";
  std::cout << t.index({Slice(None, 1), 2}).sizes() << "\n";
  std::cout << t[1][2][3].item<int>() << " " << t.select(2, 1) << "\n";
  std::cout << t.slice(2, 1, 4, 2).sizes() << " " << t.narrow(1, 1, 2).sizes() << "\n";
  std::cout << Slice(1, 5, 2) << " " << Slice() << "\n";
  std::cout << TensorIndex(None) << " " << TensorIndex(3) << " " << TensorIndex(Slice(1)) << "\n";
  std::vector<TensorIndex> where = {0, Slice(0, 2)};
  std::cout << t.index(where).sizes() << "\n";
}
