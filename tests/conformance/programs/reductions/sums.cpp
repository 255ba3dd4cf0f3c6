#include <torch/torch.h>

#include <iostream>

// Sums, means, products and norms, over all and over some dimensions.
int main() {
  torch::Tensor x = torch::arange(1, 13, torch::kFloat).view({3, 4});
  std::cout << x.sum() << "\n"
            << x.sum(0) << "\n"
            << x.sum(1, true) << "\n"
            << x.sum({0, 1}) << "\n";
  std::cout << x.mean() << "\n" << x.mean(1) << "\n" << torch::mean(x, {0}, true) << "\n";
  std::cout << x.prod() << "\n" << x.prod(0) << "\n";
  std::cout << x.var() << "\n"
            << x.var(0) << "\n"
            << x.std(1, false) << "\n"
            << x.var(1, /*unbiased=*/true, /*keepdim=*/true) << "\n";
  std::cout << x.norm() << "\n" << x.norm(1) << "\n" << x.norm(2, 1) << "\n";
  std::cout << x.sum(torch::kDouble).dtype() << " " << x.to(torch::kInt).sum().dtype() << "\n";
  std::cout << x.logsumexp(1) << "\n" << torch::count_nonzero(x > 5) << "\n";
  std::cout << x.cumsum(0) << "\n" << x.cumprod(1) << "\n" << torch::logcumsumexp(x, 1) << "\n";
  std::cout << torch::nansum(torch::tensor({1.f, NAN, 2.f})) << "\n";
  auto [variance, mean] = torch::var_mean(x, 0);
  std::cout << variance << "\n" << mean << "\n";
  std::cout << x.dist(x + 1) << "\n"
            << torch::diff(x) << "\n"
            << torch::trapezoid(x, 2.0, 1) << "\n";
  std::cout << x.all() << "\n" << (x > 11).any(1) << "\n";
}
