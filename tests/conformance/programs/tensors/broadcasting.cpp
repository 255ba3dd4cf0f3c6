#include <torch/torch.h>

#include <iostream>

// Broadcasting, expand and the sizes that result.
int main() {
  torch::Tensor column = torch::arange(3).view({3, 1});
  torch::Tensor row = torch::arange(4).view({1, 4});
  std::cout << column + row << "\n" << (column * row).sizes() << "\n";
  std::cout << column.expand({3, 4}).strides() << "\n";
  std::cout << column.expand({2, -1, 5}).sizes() << "\n";
  std::cout << row.expand_as(torch::empty({3, 4})) << "\n";
  const auto both = torch::broadcast_tensors({column, row});
  std::cout << both[0].sizes() << both[1].sizes() << "\n";
  std::cout << torch::broadcast_to(row, {2, 4}) << "\n";
  torch::Tensor a = torch::zeros({2, 3, 4});
  a += torch::arange(4);
  std::cout << a.sum({0, 1}) << "\n";
  std::cout << at::infer_size({3, 1}, {1, 4}) << "\n";
  try {
    torch::ones({2, 3}) + torch::ones({4});
  } catch (const c10::Error& e) {
    std::cout << "cannot broadcast\n";
  }
}
