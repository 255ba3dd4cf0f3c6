#include <torch/torch.h>

#include <iostream>

// Views share memory with their base, and in-place ops are seen through both.
int main() {
  torch::Tensor base = torch::zeros({2, 3});
  torch::Tensor row = base[1];
  row.add_(5);
  std::cout << base << "\n";
  torch::Tensor flat = base.view({-1});
  flat[0] = 1;
  std::cout << base[0][0].item<float>() << "\n";
  std::cout << (flat.data_ptr() == base.data_ptr()) << "\n";
  std::cout << row.is_view() << base.is_view() << " " << row._base().is_same(base) << "\n";
  torch::Tensor t = base.t();
  t[2][0] = 8;
  std::cout << base << "\n";
  torch::Tensor copy = base.contiguous();
  std::cout << copy.is_same(base) << " " << base.t().contiguous().is_same(t) << "\n";
  torch::Tensor strided = base.as_strided({2, 2}, {1, 3}, 1);
  std::cout << strided << "\n";
  torch::Tensor d = torch::diagonal(base);
  d.fill_(-1);
  std::cout << base << "\n";
  const auto version = base._version();
  base.add_(1);
  std::cout << base._version() - version << " " << (row._version() == base._version()) << "\n";
}
