#include <torch/torch.h>

#include <iostream>

// sort, argsort, topk, unique, histograms.
int main() {
  torch::Tensor x = torch::tensor({5, 3, 9, 1, 7});
  auto [sorted, order] = x.sort();
  std::cout << sorted << "\n" << order << "\n";
  std::cout << std::get<0>(torch::sort(x, 0, /*descending=*/true)) << "\n";
  std::cout << x.argsort(0, true) << "\n";
  auto [top, where] = x.topk(2);
  std::cout << top << "\n" << where << "\n";
  std::cout << std::get<0>(torch::topk(x, 2, 0, /*largest=*/false)) << "\n";
  torch::Tensor repeated = torch::tensor({2, 1, 2, 3, 1, 1});
  auto [unique, inverse, counts] = torch::_unique2(repeated, true, true, true);
  std::cout << unique << "\n" << inverse << "\n" << counts << "\n";
  std::cout << std::get<0>(torch::unique_consecutive(repeated)) << "\n";
  std::cout << torch::histc(torch::tensor({1.f, 2.f, 2.f, 4.f}), 4, 1, 5) << "\n";
  std::cout << torch::bucketize(torch::tensor({0.5, 1.5, 2.5}), torch::tensor({1.0, 2.0})) << "\n";
  std::cout << std::get<0>(torch::unique_dim(torch::tensor({{1, 2}, {1, 2}, {0, 1}}), 0)) << "\n";
  std::cout << torch::isin(x, torch::tensor({3, 7})) << "\n";
  std::cout << std::get<0>(torch::msort(x.view({5, 1})).max(0)) << "\n";
  std::cout << std::get<1>(torch::sort(torch::tensor({1, 0, 1, 0}), /*stable=*/true, 0, false))
            << "\n";
}
