#include <torch/torch.h>

#include <iostream>

// Joining and splitting.
int main() {
  torch::Tensor a = torch::arange(6).view({2, 3});
  torch::Tensor b = a + 10;
  std::cout << torch::cat({a, b}) << "\n" << torch::cat({a, b}, 1) << "\n";
  std::cout << torch::stack({a, b}).sizes() << " " << torch::stack({a, b}, -1).sizes() << "\n";
  std::cout << torch::hstack({a, b}) << "\n"
            << torch::vstack({a, b}) << "\n"
            << torch::dstack({a, b}).sizes() << "\n";
  for (const auto& part : torch::chunk(torch::arange(10), 3)) std::cout << part.numel() << " ";
  std::cout << "\n";
  for (const auto& part : torch::arange(10).split(4)) std::cout << part.sum().item<int>() << " ";
  std::cout << "\n";
  for (const auto& part : torch::arange(10).split_with_sizes({1, 2, 7}))
    std::cout << part.numel() << " ";
  std::cout << "\n";
  for (const auto& part : torch::tensor_split(torch::arange(7), 3)) std::cout << part << "\n";
  const auto rows = a.unbind();
  std::cout << rows.size() << " " << rows[1] << "\n";
  std::cout << a.repeat({2, 2}) << "\n" << torch::tile(a, {1, 2}) << "\n";
  std::cout << a.repeat_interleave(2, 0) << "\n";
  const auto grids = torch::meshgrid({torch::arange(2), torch::arange(3)}, "ij");
  std::cout << grids[0] << "\n" << grids[1] << "\n";
  std::cout << torch::cartesian_prod({torch::tensor({1, 2}), torch::tensor({5, 6})}) << "\n";
  std::cout << torch::block_diag({a, torch::ones({1, 1}, torch::kLong)}) << "\n";
  std::vector<torch::Tensor> parts = {a, a};
  std::cout << torch::concat(parts, 0).sizes() << "\n";
}
