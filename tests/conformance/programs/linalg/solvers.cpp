#include <torch/torch.h>

#include <iostream>

// Systems of equations, inverses and determinants, in float64.
int main() {
  torch::Tensor a = torch::tensor({{4., 1., 0.}, {1., 3., 1.}, {0., 1., 2.}}, torch::kDouble);
  torch::Tensor b = torch::tensor({1., 2., 3.}, torch::kDouble);
  std::cout << torch::linalg_solve(a, b) << "\n";
  std::cout << torch::inverse(a) << "\n" << torch::linalg_inv(a).matmul(a).round() << "\n";
  std::cout << torch::det(a) << "\n" << torch::logdet(a) << "\n";
  auto [sign, logabsdet] = torch::slogdet(a);
  std::cout << sign << " " << logabsdet << "\n";
  torch::Tensor l = torch::linalg_cholesky(a);
  std::cout << l << "\n" << torch::cholesky_solve(b.unsqueeze(1), l) << "\n";
  std::cout << torch::linalg_solve_triangular(l, b.unsqueeze(1), /*upper=*/false) << "\n";
  std::cout << torch::pinverse(a.slice(1, 0, 2)) << "\n";
  std::cout << torch::linalg_matrix_rank(a) << "\n";
  auto solution = torch::linalg_lstsq(a.slice(1, 0, 2), b.unsqueeze(1));
  std::cout << std::get<0>(solution) << "\n";
  std::cout << torch::cholesky_inverse(l) << "\n" << torch::linalg_cond(a) << "\n";
  auto [lu, pivots] = torch::linalg_lu_factor(a);
  std::cout << lu << "\n" << pivots << "\n";
}
