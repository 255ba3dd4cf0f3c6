#include <torch/torch.h>

#include <iostream>

// einsum, tensordot, outer products.
int main() {
  torch::Tensor a = torch::arange(6, torch::kFloat).view({2, 3});
  torch::Tensor b = torch::arange(12, torch::kFloat).view({3, 4});
  std::cout << torch::einsum("ij,jk->ik", {a, b}) << "\n";
  std::cout << torch::einsum("ij->ji", {a}) << "\n" << torch::einsum("ij->", {a}) << "\n";
  std::cout << torch::einsum("ij,ij->i", {a, a}) << "\n";
  std::cout << torch::einsum("i,j->ij", {a[0], b[0]}) << "\n";
  std::cout << torch::tensordot(a, b, {1}, {0}) << "\n";
  std::cout << torch::outer(a[0], a[1]) << "\n" << torch::ger(a[1], a[0]) << "\n";
  std::cout << torch::inner(a, a) << "\n" << torch::kron(a, torch::eye(2)) << "\n";
  torch::Tensor batch = torch::arange(12, torch::kFloat).view({2, 2, 3});
  std::cout << torch::einsum("bij,bkj->bik", {batch, batch}) << "\n";
  std::cout << torch::cross(torch::tensor({1.f, 0.f, 0.f}), torch::tensor({0.f, 1.f, 0.f}), 0)
            << "\n";
  std::cout << torch::cov(a) << "\n" << torch::corrcoef(a) << "\n";
  std::cout << torch::cdist(a, a) << "\n"
            << torch::bilinear(a, a, torch::ones({1, 3, 3}), {}) << "\n";
}
