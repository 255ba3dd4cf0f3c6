#include <torch/torch.h>

#include <iostream>

// Factorizations, shown by what does not depend on signs.
int main() {
  torch::Tensor a = torch::tensor({{2., 1.}, {1., 3.}, {0., 1.}}, torch::kDouble);
  auto [q, r] = torch::linalg_qr(a);
  std::cout << (q.matmul(r) * 1000).round().abs() << "\n" << r.abs() << "\n";
  auto [u, s, vh] = torch::linalg_svd(a, /*full_matrices=*/false);
  std::cout << s << "\n" << (u.matmul(torch::diag(s)).matmul(vh) * 1000).round().abs() << "\n";
  std::cout << torch::linalg_svdvals(a) << "\n";
  torch::Tensor m = a.t().matmul(a);
  auto [values, vectors] = torch::linalg_eigh(m);
  std::cout << values << "\n" << (vectors.abs() * 1000).round() << "\n";
  std::cout << torch::linalg_eigvalsh(m) << "\n";
  std::cout << std::get<1>(torch::svd(a)) << "\n";
  auto [p, l, upper] = torch::linalg_lu(m);
  std::cout << (p.matmul(l).matmul(upper) * 1000).round() << "\n";
  std::cout << torch::matrix_exp(torch::zeros({2, 2})) << "\n";
  std::cout << torch::linalg_matrix_exp(torch::tensor({{0., 1.}, {0., 0.}})) << "\n";
}
