#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// max_unpool, dropout variants, grid functions and smooth losses of torch::.
int main() {
  torch::Tensor x = torch::arange(8, torch::kFloat).view({1, 1, 8});
  auto [values, indices] = F::max_pool1d_with_indices(x, F::MaxPool1dFuncOptions(2));
  std::cout << F::max_unpool1d(values, indices, F::MaxUnpool1dFuncOptions(2)) << "\n";
  std::cout << F::max_unpool1d(
                   values, indices,
                   F::MaxUnpool1dFuncOptions(2).output_size(std::vector<int64_t>({1, 1, 9})))
                   .sizes()
            << "\n";
  std::cout << F::avg_pool1d(x, F::AvgPool1dFuncOptions(3).stride(2)) << "\n"
            << F::adaptive_avg_pool1d(x, F::AdaptiveAvgPool1dFuncOptions(3)) << "\n";
  std::cout << torch::smooth_l1_loss(x, x + 0.5).item<float>() << " "
            << torch::l1_loss(x, x + 1).item<float>() << " "
            << torch::huber_loss(x, x * 2).item<float>() << "\n";
  std::cout << torch::binary_cross_entropy_with_logits(x, torch::sigmoid(x)).item<float>() << " "
            << torch::kl_div(x, x.exp(), at::Reduction::Mean).item<float>() << "\n";
  std::cout << torch::cosine_embedding_loss(x[0], x[0] + 1, torch::ones({1})).item<float>() << " "
            << torch::nll_loss(torch::log_softmax(x[0], 1), torch::tensor({3}), {},
                               at::Reduction::Sum)
                   .item<float>()
            << "\n";
  std::cout << torch::elu(x - 4, 1.0) << "\n"
            << torch::hardtanh(x, 1, 3) << "\n"
            << torch::threshold(x, 3, -1) << "\n"
            << torch::prelu(x - 4, torch::tensor({0.5f})) << "\n";
  std::cout << torch::batch_norm(x, {}, {}, {}, {}, true, 0.1, 1e-5, false) << "\n"
            << torch::layer_norm(x, {8}) << "\n"
            << torch::group_norm(x, 1) << "\n";
  std::cout << torch::conv1d(x, torch::ones({1, 1, 2})) << "\n"
            << torch::max_pool1d(x, 4) << "\n"
            << torch::one_hot(torch::tensor({1})) << "\n";
}
