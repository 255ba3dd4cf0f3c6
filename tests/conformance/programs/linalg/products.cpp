#include <torch/torch.h>

#include <iostream>

// Matrix products.
int main() {
  torch::Tensor a = torch::tensor({{1., 2.}, {3., 4.}});
  torch::Tensor b = torch::tensor({{0., 1.}, {1., 0.}});
  torch::Tensor v = torch::tensor({1., -1.});
  std::cout << torch::mm(a, b) << "\n"
            << a.matmul(b) << "\n"
            << a.mv(v) << "\n"
            << v.dot(v) << "\n";
  std::cout << torch::matmul(v, a) << "\n"
            << torch::addmm(a, a, b) << "\n"
            << torch::addmm(a, a, b, 0.5, 2) << "\n";
  std::cout << torch::addmv(v, a, v) << "\n" << torch::addr(a, v, v) << "\n";
  torch::Tensor batch = torch::stack({a, b});
  std::cout << torch::bmm(batch, batch) << "\n"
            << torch::baddbmm(batch, batch, batch).sizes() << "\n";
  std::cout << torch::matmul(batch, v) << "\n" << torch::chain_matmul({a, b, a}) << "\n";
  std::cout << torch::linalg_multi_dot({a, b, v}) << "\n";
  std::cout << torch::matrix_power(a, 3) << "\n" << torch::linalg_vecdot(a, b) << "\n";
  torch::Tensor out = torch::empty({2, 2});
  torch::mm_out(out, a, a);
  std::cout << out << "\n";
  std::cout << torch::vdot(v, v) << "\n" << torch::linear(a, b, v) << "\n";
}
