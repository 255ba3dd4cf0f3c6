#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Losses of pairs, triplets and sequences.
int main() {
  torch::Tensor a = torch::tensor({{1.0, 2.0}, {3.0, -1.0}}, torch::requires_grad());
  torch::Tensor p = torch::tensor({{1.5, 1.0}, {2.0, 0.0}});
  torch::Tensor n = torch::tensor({{-1.0, 0.0}, {4.0, 4.0}});
  std::cout << nn::TripletMarginLoss(nn::TripletMarginLossOptions().margin(3).swap(true))(a, p, n)
            << "\n";
  nn::TripletMarginWithDistanceLoss with(
      nn::TripletMarginWithDistanceLossOptions()
          .distance_function(
              [](const torch::Tensor& x, const torch::Tensor& y) { return (x - y).abs().sum(1); })
          .margin(5));
  std::cout << with(a, p, n) << "\n";
  torch::Tensor sign = torch::tensor({1.0, -1.0});
  std::cout << nn::CosineEmbeddingLoss(nn::CosineEmbeddingLossOptions().margin(0.1))(a, p, sign)
            << "\n";
  std::cout << nn::MarginRankingLoss(nn::MarginRankingLossOptions().margin(0.5))(
                   a.select(1, 0), p.select(1, 0), sign)
            << "\n";
  torch::manual_seed(1);
  torch::Tensor log_probs = torch::randn({5, 2, 4}).log_softmax(2);
  torch::Tensor targets = torch::tensor({{1, 2}, {3, 3}});
  std::cout << nn::CTCLoss()(log_probs, targets, torch::tensor({5, 5}), torch::tensor({2, 1}))
            << "\n";
  std::cout << nn::CTCLoss(
                   nn::CTCLossOptions().blank(3).reduction(torch::kSum).zero_infinity(true))(
                   log_probs, torch::tensor({{1, 2}, {0, 1}}), torch::tensor({5, 4}),
                   torch::tensor({2, 2}))
            << "\n";
  nn::AdaptiveLogSoftmaxWithLoss adaptive(nn::AdaptiveLogSoftmaxWithLossOptions(16, 6, {2, 4}));
  {
    torch::NoGradGuard guard;
    for (auto& p : adaptive->parameters())
      p.copy_(torch::arange(p.numel(), torch::kFloat).view(p.sizes()).sin() * 0.3);
  }
  auto result = adaptive(torch::ones({2, 16}), torch::tensor({0, 5}));
  std::cout << result.output << "\n";
  std::cout << adaptive->log_prob(torch::ones({1, 16})) << "\n"
            << adaptive->predict(torch::ones({1, 16})) << "\n";
}
