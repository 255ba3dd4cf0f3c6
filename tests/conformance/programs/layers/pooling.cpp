#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Pooling layers.
int main() {
  torch::Tensor x = torch::arange(16, torch::kFloat).view({1, 1, 4, 4});
  std::cout << nn::MaxPool2d(2)(x) << "\n" << nn::AvgPool2d(2)(x) << "\n";
  std::cout << nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(1).padding(1))(x) << "\n";
  std::cout << nn::MaxPool2d(nn::MaxPool2dOptions({2, 3}).stride({2, 1}).ceil_mode(true))(x)
            << "\n";
  std::cout << nn::AvgPool2d(nn::AvgPool2dOptions(3).padding(1).stride(2).count_include_pad(false))(
                   x)
            << "\n";
  std::cout << nn::MaxPool1d(2)(x.view({1, 1, 16})) << "\n"
            << nn::AvgPool1d(4)(x.view({1, 1, 16})) << "\n";
  std::cout << nn::MaxPool3d(2)(x.view({1, 1, 2, 2, 4})) << "\n"
            << nn::AvgPool3d(2)(x.view({1, 1, 2, 2, 4})) << "\n";
  std::cout << nn::AdaptiveAvgPool2d(2)(x) << "\n"
            << nn::AdaptiveMaxPool2d(nn::AdaptiveMaxPool2dOptions({3, 2}))(x) << "\n";
  std::cout << nn::AdaptiveAvgPool1d(3)(x.view({1, 1, 16})) << "\n";
  auto [pooled, indices] = nn::MaxPool2d(2)->forward_with_indices(x);
  std::cout << indices << "\n" << nn::MaxUnpool2d(2)(pooled, indices) << "\n";
  std::cout << nn::LPPool2d(nn::LPPool2dOptions(2, 2))(x) << "\n"
            << nn::LPPool1d(nn::LPPool1dOptions(1, 4))(x.view({1, 16})) << "\n";
  std::cout << torch::max_pool2d(x, 2) << "\n" << torch::avg_pool2d(x, {2, 1}) << "\n";
  std::cout << torch::adaptive_avg_pool2d(x, {1, 1}) << "\n";
}
