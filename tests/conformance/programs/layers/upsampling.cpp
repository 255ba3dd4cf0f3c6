#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// Upsample and interpolate.
int main() {
  torch::Tensor x = torch::arange(1, 5, torch::kFloat).view({1, 1, 2, 2});
  torch::Tensor line = torch::arange(3, torch::kFloat).view({1, 1, 3});
  std::cout << nn::Upsample(nn::UpsampleOptions()
                                .scale_factor(std::vector<double>({2}))
                                .mode(torch::kNearest))(line)
            << "\n";
  std::cout << nn::Upsample(nn::UpsampleOptions()
                                .size(std::vector<int64_t>({4, 4}))
                                .mode(torch::kBilinear)
                                .align_corners(false))(x)
            << "\n";
  std::cout << nn::Upsample(nn::UpsampleOptions()
                                .scale_factor(std::vector<double>({2, 2}))
                                .mode(torch::kBilinear)
                                .align_corners(true))(x)
            << "\n";
  std::cout << nn::Upsample(nn::UpsampleOptions()
                                .scale_factor(std::vector<double>({1.5}))
                                .mode(torch::kLinear)
                                .align_corners(false))(line)
            << "\n";
  std::cout << F::interpolate(x, F::InterpolateFuncOptions()
                                     .size(std::vector<int64_t>({3, 3}))
                                     .mode(torch::kBicubic)
                                     .align_corners(false))
            << "\n";
  std::cout << F::interpolate(x, F::InterpolateFuncOptions()
                                     .scale_factor(std::vector<double>({0.5, 0.5}))
                                     .mode(torch::kArea))
            << "\n";
  std::cout << F::interpolate(x.unsqueeze(2), F::InterpolateFuncOptions()
                                                  .size(std::vector<int64_t>({2, 3, 3}))
                                                  .mode(torch::kTrilinear)
                                                  .align_corners(true))
            << "\n";
  std::cout << torch::upsample_nearest2d(x, {4, 4}) << "\n"
            << torch::upsample_bilinear2d(x, {3, 3}, true) << "\n";
  torch::Tensor theta = torch::tensor({{{1.0, 0.0, 0.5}, {0.0, 1.0, 0.0}}});
  torch::Tensor grid = F::affine_grid(theta, {1, 1, 2, 2}, false);
  std::cout << grid << "\n"
            << F::grid_sample(x, grid,
                              F::GridSampleFuncOptions()
                                  .mode(torch::kBilinear)
                                  .padding_mode(torch::kBorder)
                                  .align_corners(false))
            << "\n";
}
