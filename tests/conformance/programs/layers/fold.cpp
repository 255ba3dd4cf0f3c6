#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// Fold, Unfold, PixelShuffle, one_hot.
int main() {
  torch::Tensor x = torch::arange(16, torch::kFloat).view({1, 1, 4, 4});
  torch::Tensor columns = nn::Unfold(nn::UnfoldOptions({2, 2}).stride(2))(x);
  std::cout << columns << "\n"
            << nn::Fold(nn::FoldOptions({4, 4}, {2, 2}).stride(2))(columns).equal(x) << "\n";
  std::cout << nn::Unfold(nn::UnfoldOptions(3).padding(1).dilation(1))(x).sizes() << "\n";
  torch::Tensor counts = F::fold(F::unfold(torch::ones_like(x), F::UnfoldFuncOptions(3)),
                                 F::FoldFuncOptions({4, 4}, 3));
  std::cout << counts << "\n";
  torch::Tensor shuffled = nn::PixelShuffle(nn::PixelShuffleOptions(2))(x.view({1, 4, 2, 2}));
  std::cout << shuffled << "\n" << nn::PixelUnshuffle(2)(shuffled).sizes() << "\n";
  std::cout << F::one_hot(torch::tensor({0, 2, 1})) << "\n"
            << torch::channel_shuffle(torch::arange(8, torch::kFloat).view({1, 4, 1, 2}), 2)
            << "\n";
  std::cout << torch::im2col(x, {2, 2}, {1, 1}, {0, 0}, {2, 2}).sizes() << "\n";
}
