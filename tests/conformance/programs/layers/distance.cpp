#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// Distances and similarities.
int main() {
  torch::Tensor a = torch::tensor({{1.0, 2.0, 2.0}, {0.0, 3.0, 4.0}});
  torch::Tensor b = torch::tensor({{1.0, 0.0, 0.0}, {0.0, 4.0, 3.0}});
  std::cout << nn::CosineSimilarity(nn::CosineSimilarityOptions().dim(1))(a, b) << "\n";
  std::cout << nn::PairwiseDistance(nn::PairwiseDistanceOptions().p(1))(a, b) << "\n";
  std::cout << nn::PairwiseDistance(nn::PairwiseDistanceOptions().keepdim(true))(a, b) << "\n";
  std::cout << F::cosine_similarity(a, b, F::CosineSimilarityFuncOptions().dim(0)) << "\n";
  std::cout << F::pairwise_distance(a, b) << "\n"
            << F::pdist(a) << "\n"
            << torch::pdist(a, 1) << "\n";
  std::cout << torch::cdist(a, b, 1) << "\n"
            << torch::cosine_similarity(a, b) << "\n"
            << torch::pairwise_distance(a, b) << "\n";
}
