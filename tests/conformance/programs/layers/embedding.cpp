#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Embedding and EmbeddingBag.
int main() {
  torch::manual_seed(4);
  nn::Embedding e(nn::EmbeddingOptions(5, 3).padding_idx(0));
  torch::Tensor ids = torch::tensor({{1, 0, 2}, {4, 4, 0}});
  std::cout << e->weight << "\n" << e(ids).sizes() << "\n" << e(ids)[1] << "\n";
  e(ids).sum().backward();
  std::cout << e->weight.grad() << "\n";
  torch::Tensor weights = torch::arange(8, torch::kFloat).view({4, 2});
  nn::Embedding fixed = nn::Embedding::from_pretrained(weights);
  std::cout << fixed(torch::tensor({3, 1})) << "\n" << fixed->weight.requires_grad() << "\n";
  nn::EmbeddingBag bag = nn::EmbeddingBag::from_pretrained(
      weights, nn::EmbeddingBagFromPretrainedOptions().mode(torch::kSum));
  std::cout << bag(torch::tensor({0, 1, 2, 3}), torch::tensor({0, 3})) << "\n";
  nn::EmbeddingBag mean(nn::EmbeddingBagOptions(4, 2).mode(torch::kMean)._weight(weights));
  std::cout << mean(torch::tensor({{0, 1}, {2, 3}})) << "\n";
  nn::EmbeddingBag max(nn::EmbeddingBagOptions(4, 2).mode(torch::kMax)._weight(weights));
  std::cout << max(torch::tensor({{0, 3}, {2, 1}})) << "\n";
  std::cout << bag(torch::tensor({0, 1}), torch::tensor({0}), torch::tensor({2.f, 3.f})) << "\n";
  nn::Embedding clipped(nn::EmbeddingOptions(3, 2).max_norm(1.0)._weight(torch::ones({3, 2}) * 3));
  std::cout << clipped(torch::tensor({1})) << "\n"
            << torch::embedding(weights, torch::tensor({2})) << "\n";
}
