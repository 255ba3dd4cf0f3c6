#include <torch/torch.h>

#include <iostream>

// Scatter, index_add and relatives, out of place and in place.
int main() {
  torch::Tensor src = torch::arange(1, 7, torch::kFloat).view({2, 3});
  torch::Tensor index = torch::tensor({{0, 1, 2}, {2, 0, 0}});
  std::cout << torch::zeros({3, 3}).scatter_(0, index, src) << "\n";
  std::cout << torch::zeros({2, 4}).scatter(1, index, 5) << "\n";
  std::cout << torch::zeros({2, 4}).scatter_add(1, index, src) << "\n";
  std::cout << torch::ones({2, 4}).scatter_reduce(1, index, src, "prod") << "\n";
  std::cout << torch::ones({2, 4}).scatter_reduce(1, index, src, "amax", false) << "\n";
  torch::Tensor rows = torch::zeros({4, 3});
  rows.index_add_(0, torch::tensor({1, 3}), src);
  rows.index_copy_(0, torch::tensor({0, 2}), src * 10);
  std::cout << rows << "\n";
  rows.index_fill_(1, torch::tensor({1}), -1);
  std::cout << rows << "\n";
  std::cout << rows.masked_fill(rows > 20, 0) << "\n";
  std::cout << torch::zeros({4}).masked_scatter(torch::tensor({true, false, true, false}),
                                                torch::tensor({8.f, 9.f}))
            << "\n";
  std::cout << torch::bincount(torch::tensor({0, 1, 1, 3})) << "\n";
  std::cout << torch::one_hot(torch::tensor({0, 2}), 4) << "\n";
  std::cout << torch::put(src, torch::tensor({0, 5}), torch::tensor({-1.f, -2.f})) << "\n";
}
