#include <torch/torch.h>

#include <iostream>

// Norms of torch and torch::linalg.
int main() {
  torch::Tensor x = torch::tensor({{3., -4.}, {0., 12.}}, torch::kDouble);
  std::cout << torch::norm(x) << "\n"
            << torch::norm(x, 1) << "\n"
            << torch::norm(x, INFINITY) << "\n";
  std::cout << torch::norm(x, 2, 1, true) << "\n" << x.norm(0) << "\n";
  std::cout << torch::linalg_norm(x) << "\n" << torch::linalg_norm(x, "nuc") << "\n";
  std::cout << torch::linalg_vector_norm(x, 3) << "\n";
  std::cout << torch::linalg_matrix_norm(x, "fro") << "\n"
            << torch::linalg_matrix_norm(x, 1) << "\n";
  std::cout << torch::linalg_norm(x, 2, 0) << "\n" << torch::linalg_det(x) << "\n";
  std::cout << torch::frobenius_norm(x, {0, 1}) << "\n" << torch::nuclear_norm(x) << "\n";
  std::cout << torch::renorm(x, 2, 0, 5) << "\n" << torch::dist(x, -x, 1) << "\n";
  std::cout << torch::nn::functional::normalize(x) << "\n";
}
