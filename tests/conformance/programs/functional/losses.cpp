#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// Functional losses with options.
int main() {
  torch::Tensor x = torch::tensor({{0.2, 0.7}, {0.9, 0.4}}, torch::requires_grad());
  torch::Tensor y = torch::tensor({{0.0, 1.0}, {1.0, 0.0}});
  torch::Tensor c = torch::tensor({1, 0});
  std::cout << F::mse_loss(x, y) << "\n"
            << F::l1_loss(x, y, F::L1LossFuncOptions(torch::kSum)) << "\n";
  std::cout << F::binary_cross_entropy(
                   x, y, F::BinaryCrossEntropyFuncOptions().weight(torch::tensor({1.f, 2.f})))
            << "\n";
  std::cout << F::binary_cross_entropy_with_logits(x, y) << "\n"
            << F::cross_entropy(
                   x, c, F::CrossEntropyFuncOptions().ignore_index(-100).reduction(torch::kNone))
            << "\n";
  std::cout << F::cross_entropy(x, y) << "\n"
            << F::nll_loss(F::log_softmax(x, 1), c,
                           F::NLLLossFuncOptions().weight(torch::tensor({1.f, 3.f})))
            << "\n";
  std::cout << F::kl_div(x.log(), y + 0.1, F::KLDivFuncOptions(torch::kMean)) << "\n"
            << F::kl_div(x, y.log(), F::KLDivFuncOptions().log_target(true).reduction(torch::kSum))
            << "\n";
  std::cout << F::smooth_l1_loss(x, y, F::SmoothL1LossFuncOptions(torch::kNone)) << "\n"
            << F::smooth_l1_loss(x, y, F::SmoothL1LossFuncOptions(), 0.5) << "\n";
  std::cout << F::huber_loss(x, y, F::HuberLossFuncOptions().reduction(torch::kSum).delta(0.5))
            << "\n";
  std::cout << F::soft_margin_loss(x, y) << "\n"
            << F::poisson_nll_loss(x, y) << "\n"
            << F::hinge_embedding_loss(x, y * 2 - 1) << "\n";
  std::cout << F::multi_margin_loss(x, c) << "\n"
            << F::multilabel_soft_margin_loss(x, y) << "\n"
            << F::multilabel_margin_loss(x, torch::tensor({{0, -1}, {1, 0}})) << "\n";
  std::cout << F::triplet_margin_loss(x, y, y + 1, F::TripletMarginLossFuncOptions().margin(1.0))
            << "\n"
            << F::cosine_embedding_loss(x, y, torch::tensor({1.f, -1.f})) << "\n";
  std::cout << F::margin_ranking_loss(x[0], x[1], torch::tensor({1.f, -1.f}),
                                      F::MarginRankingLossFuncOptions().margin(0.5))
            << "\n";
  F::cross_entropy(x, c).backward();
  std::cout << x.grad() << "\n";
}
