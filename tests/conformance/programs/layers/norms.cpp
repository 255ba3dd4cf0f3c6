#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Batch, layer, group and instance normalisation.
int main() {
  torch::manual_seed(3);
  torch::Tensor x = torch::randn({4, 6});
  nn::BatchNorm1d bn(6);
  std::cout << bn(x) << "\n"
            << bn->running_mean << "\n"
            << bn->running_var << "\n"
            << bn->num_batches_tracked << "\n";
  bn->eval();
  std::cout << bn(x) << "\n";
  bn->reset_running_stats();
  std::cout << bn->running_mean << "\n";
  nn::BatchNorm2d plain(
      nn::BatchNorm2dOptions(2).affine(false).track_running_stats(false).momentum(0.3).eps(1e-3));
  std::cout << plain(torch::randn({2, 2, 2, 2})) << "\n" << plain->weight.defined() << "\n";
  nn::BatchNorm3d three(1);
  std::cout << three(torch::randn({2, 1, 2, 2, 1})) << "\n";
  std::cout << nn::LayerNorm(nn::LayerNormOptions({6}))(x) << "\n";
  std::cout << nn::GroupNorm(nn::GroupNormOptions(2, 6).affine(false))(x) << "\n";
  std::cout << nn::InstanceNorm1d(nn::InstanceNorm1dOptions(2).affine(true))(x.view({2, 2, 6}))
            << "\n";
  std::cout << nn::InstanceNorm2d(2)(torch::randn({1, 2, 2, 3})) << "\n";
  std::cout << nn::LocalResponseNorm(2)(x.view({1, 4, 6})) << "\n"
            << nn::CrossMapLRN2d(2)(x.view({1, 4, 2, 3})).sizes() << "\n";
}
