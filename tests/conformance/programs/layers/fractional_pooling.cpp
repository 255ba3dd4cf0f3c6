#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// Fractional pooling with given samples.
int main() {
  torch::Tensor x = torch::arange(50, torch::kFloat).view({1, 2, 5, 5});
  torch::Tensor samples = torch::tensor({{{0.3, 0.6}, {0.1, 0.9}}});
  std::cout << F::fractional_max_pool2d(
                   x, F::FractionalMaxPool2dFuncOptions(2).output_size(3)._random_samples(samples))
            << "\n";
  torch::nn::FractionalMaxPool2d pool(torch::nn::FractionalMaxPool2dOptions({2, 2})
                                          .output_size(std::vector<int64_t>{2, 2})
                                          ._random_samples(samples));
  std::cout << pool(x) << "\n";
  auto [values, indices] = pool->forward_with_indices(x);
  std::cout << values.sizes() << indices << "\n";
  torch::manual_seed(4);
  std::cout << torch::nn::FractionalMaxPool3d(torch::nn::FractionalMaxPool3dOptions(2).output_ratio(
                   0.5))(torch::arange(64, torch::kFloat).view({1, 4, 4, 4}))
            << "\n";
}
