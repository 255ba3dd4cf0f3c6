#include <torch/torch.h>

#include <iostream>
#include <tuple>

// Maxima and minima with their indices.
int main() {
  torch::Tensor x = torch::tensor({{3., 1., 2.}, {9., 7., 8.}, {4., 6., 5.}});
  std::cout << x.max() << "\n" << x.min() << "\n" << x.argmax() << "\n" << x.argmin(1) << "\n";
  auto [values, indices] = x.max(1);
  std::cout << values << "\n" << indices << "\n";
  auto result = torch::min(x, 0, true);
  std::cout << std::get<0>(result) << "\n" << std::get<1>(result) << "\n";
  torch::Tensor v, i;
  std::tie(v, i) = x.median(1);
  std::cout << v << i << "\n" << x.median() << "\n";
  std::cout << x.amax(0) << "\n" << x.amin({0, 1}) << "\n";
  auto [low, high] = torch::aminmax(x);
  std::cout << low << " " << high << "\n";
  std::tie(v, i) = torch::cummax(x, 1);
  std::cout << v << "\n" << i << "\n";
  std::tie(v, i) = x.kthvalue(2, 1);
  std::cout << v << "\n" << i << "\n";
  std::tie(v, i) = torch::mode(torch::tensor({1, 2, 2, 3, 3, 2}));
  std::cout << v << " " << i << "\n";
  std::cout << torch::quantile(x.flatten(), 0.5) << "\n"
            << torch::quantile(x, torch::tensor({0.25, 0.75}, torch::kFloat), 1) << "\n";
  std::cout << torch::nanmedian(torch::tensor({1.f, NAN, 3.f})) << "\n";
}
