#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// Functional convolutions, pooling and norms.
int main() {
  torch::Tensor x = torch::arange(18, torch::kFloat).view({1, 2, 3, 3});
  torch::Tensor w = torch::ones({2, 1, 2, 2});
  std::cout << F::conv2d(x, w, F::Conv2dFuncOptions().groups(2).bias(torch::tensor({1.f, 2.f})))
            << "\n";
  std::cout << F::conv2d(x, w,
                         F::Conv2dFuncOptions().groups(2).padding(torch::kValid).stride({1, 2}))
            << "\n";
  std::cout << F::conv1d(x.view({1, 2, 9}), torch::ones({1, 2, 3}),
                         F::Conv1dFuncOptions().stride(3))
            << "\n";
  std::cout << F::max_pool2d(x, F::MaxPool2dFuncOptions(2).stride(1)) << "\n"
            << F::avg_pool2d(x, F::AvgPool2dFuncOptions(2).stride(1).divisor_override(2)) << "\n";
  std::cout << F::adaptive_max_pool2d(x, F::AdaptiveMaxPool2dFuncOptions(1)) << "\n"
            << F::adaptive_avg_pool2d(x, F::AdaptiveAvgPool2dFuncOptions({1, 3})) << "\n";
  auto [values, indices] = F::max_pool2d_with_indices(x, F::MaxPool2dFuncOptions(3));
  std::cout << values << indices << "\n";
  std::cout << F::layer_norm(x, F::LayerNormFuncOptions({3, 3}).eps(1e-5)) << "\n"
            << F::group_norm(x, F::GroupNormFuncOptions(1)) << "\n";
  std::cout << F::batch_norm(x, torch::zeros({2}), torch::ones({2}),
                             F::BatchNormFuncOptions().training(true))
            << "\n";
  std::cout << F::instance_norm(x, F::InstanceNormFuncOptions().eps(1e-3)) << "\n"
            << F::local_response_norm(x, F::LocalResponseNormFuncOptions(2)) << "\n";
  std::cout << F::normalize(x.view({2, 9}), F::NormalizeFuncOptions().p(1).dim(1)) << "\n"
            << F::linear(x.view({6, 3}), torch::ones({1, 3})) << "\n";
  std::cout << F::embedding(torch::tensor({1, 0}), torch::eye(2)) << "\n"
            << F::embedding_bag(torch::tensor({{0, 1}}), torch::eye(2),
                                F::EmbeddingBagFuncOptions().mode(torch::kSum))
            << "\n";
  std::cout << F::pixel_shuffle(torch::arange(8, torch::kFloat).view({1, 4, 1, 2}),
                                F::PixelShuffleFuncOptions(2))
            << "\n";
  std::cout << F::lp_pool2d(x, F::LPPool2dFuncOptions(2, {2, 2})) << "\n"
            << F::bilinear(torch::ones({1, 2}), torch::ones({1, 2}), torch::ones({1, 2, 2}),
                           torch::ones({1}))
            << "\n";
}
