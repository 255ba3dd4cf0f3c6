#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Losses of regression and classification.
int main() {
  torch::Tensor x = torch::tensor({{0.1, 0.7, -0.4}, {1.2, -0.3, 0.5}});
  torch::Tensor y = torch::tensor({{0.0, 1.0, 0.0}, {1.0, 0.0, 1.0}});
  torch::Tensor classes = torch::tensor({1, 0});
  std::cout << nn::MSELoss()(x, y) << "\n"
            << nn::L1Loss(nn::L1LossOptions(torch::kSum))(x, y) << "\n";
  std::cout << nn::MSELoss(nn::MSELossOptions().reduction(torch::kNone))(x, y) << "\n";
  std::cout << nn::SmoothL1Loss()(x, y) << "\n"
            << nn::HuberLoss(nn::HuberLossOptions().delta(0.3))(x, y) << "\n";
  std::cout << nn::CrossEntropyLoss()(x, classes) << "\n";
  std::cout << nn::CrossEntropyLoss(nn::CrossEntropyLossOptions()
                                        .weight(torch::tensor({1.f, 2.f, 3.f}))
                                        .label_smoothing(0.1))(x, classes)
            << "\n";
  std::cout << nn::NLLLoss(nn::NLLLossOptions().ignore_index(0).reduction(torch::kSum))(
                   torch::log_softmax(x, 1), classes)
            << "\n";
  std::cout << nn::BCELoss()(torch::sigmoid(x), y) << "\n"
            << nn::BCEWithLogitsLoss(
                   nn::BCEWithLogitsLossOptions().pos_weight(torch::tensor({1.f, 2.f, 3.f})))(x, y)
            << "\n";
  std::cout << nn::KLDivLoss(nn::KLDivLossOptions().reduction(torch::kBatchMean))(
                   torch::log_softmax(x, 1), torch::softmax(y, 1))
            << "\n";
  std::cout << nn::PoissonNLLLoss(nn::PoissonNLLLossOptions().log_input(true).full(true))(x, y)
            << "\n";
  std::cout << nn::SoftMarginLoss()(x, y * 2 - 1) << "\n"
            << nn::HingeEmbeddingLoss(nn::HingeEmbeddingLossOptions().margin(2))(x, y * 2 - 1)
            << "\n";
  std::cout << nn::MultiLabelSoftMarginLoss()(x, y) << "\n"
            << nn::MultiMarginLoss(nn::MultiMarginLossOptions().p(1).margin(0.5))(x, classes)
            << "\n";
  std::cout << nn::MultiLabelMarginLoss()(x, torch::tensor({{1, -1, 0}, {0, 2, -1}})) << "\n";
}
