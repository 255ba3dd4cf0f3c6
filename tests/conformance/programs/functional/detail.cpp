#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;
// The functions that modules of libtorch call.
int main() {
  torch::manual_seed(1);
  torch::Tensor x = torch::randn({1, 2, 4, 4}), w = torch::randn({2, 2, 3, 3});
  std::cout << F::detail::conv2d(x, w, {}, 1, 1, 1, 1).sum() << "\n";
  std::cout << F::detail::conv2d(x, w, torch::ones({2}), 1, torch::kSame, 1, 1).sizes()
            << F::detail::conv1d(x[0], torch::ones({2, 4, 3}), {}, 1, 0, 1, 1).sizes() << "\n";
  std::cout << F::detail::conv_transpose2d(x, w, {}, {2, 2}, {1, 1}, {1, 1}, 1, {1, 1}).sizes()
            << "\n";
  std::cout << F::detail::max_pool2d(x, 2, 2, 0, 1, false).sizes()
            << F::detail::avg_pool2d(x, 2, 2, 0, false, true, c10::nullopt).sizes() << "\n";
  std::cout << F::detail::leaky_relu(x, 0.1, false).sum() << F::detail::elu(x, 1.0, false).sum()
            << F::detail::relu(x, false).sum() << F::detail::hardtanh(x, -1, 1, false).sum()
            << "\n";
  std::cout << F::detail::dropout(x, 0.5, false, false).equal(x)
            << F::detail::softmax(x, 1, c10::nullopt).sum() << F::detail::gelu(x, "none").sum()
            << "\n";
  std::cout << F::detail::layer_norm(x, std::vector<int64_t>{4, 4}, {}, {}, 1e-5).std()
            << F::detail::group_norm(x, 2, {}, {}, 1e-5).mean().abs().lt(1e-5) << "\n";
  std::cout << F::detail::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5).sizes()
            << F::detail::normalize(x, 2, 1, 1e-12, c10::nullopt).sum() << "\n";
  std::cout << F::detail::embedding(torch::tensor({1, 0}),
                                    torch::arange(4, torch::kFloat).view({2, 2}), c10::nullopt,
                                    c10::nullopt, 2, false, false)
            << "\n";
  std::cout << F::detail::pad(x, {1, 1, 1, 1}, torch::kReflect, 0).sizes()
            << F::detail::interpolate(x, std::vector<int64_t>{8, 8}, c10::nullopt, torch::kBilinear,
                                      false, c10::nullopt, false)
                   .sum()
            << "\n";
  std::cout << F::detail::adaptive_avg_pool2d(x, {2, 2}).sum()
            << std::get<1>(F::detail::max_pool2d_with_indices(x, 2, 2, 0, 1, false)).sum() << "\n";
  std::cout << F::detail::unfold(x, 2, 1, 0, 1).sizes()
            << F::detail::cosine_similarity(x, x * 2, 1, 1e-8).sum()
            << F::detail::pairwise_distance(torch::ones({2, 3}), torch::zeros({2, 3}), 2, 0, false)
            << "\n";
  std::cout << F::detail::lp_pool2d(x.abs(), 2, 2, 2, false).sizes()
            << F::detail::adaptive_max_pool1d(x[0], 2).sizes()
            << F::detail::gumbel_softmax(x, 1, true, 1).sum() << F::detail::glu(x, 1).sizes()
            << "\n";
}
