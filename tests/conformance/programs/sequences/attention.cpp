#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// MultiheadAttention with masks.
int main() {
  torch::manual_seed(10);
  nn::MultiheadAttention attention(nn::MultiheadAttentionOptions(4, 2));
  torch::Tensor q = torch::randn({2, 1, 4}), k = torch::randn({3, 1, 4});
  auto [out, weights] = attention(q, k, k);
  std::cout << out << "\n" << weights << "\n";
  torch::Tensor padding = torch::tensor({{false, false, true}});
  auto masked = attention(q, k, k, padding);
  std::cout << std::get<0>(masked) << "\n" << std::get<1>(masked) << "\n";
  torch::Tensor mask = torch::zeros({2, 3});
  mask[0][1] = -INFINITY;
  auto with_mask = attention->forward(q, k, k, {}, /*need_weights=*/true, mask);
  std::cout << std::get<1>(with_mask) << "\n";
  for (const auto& p : attention->named_parameters())
    std::cout << p.key() << p.value().sizes() << "\n";
  nn::MultiheadAttention wide(nn::MultiheadAttentionOptions(4, 1).kdim(3).vdim(3));
  std::cout << std::get<0>(wide(q, torch::ones({3, 1, 3}), torch::ones({3, 1, 3}))).sizes() << "\n";
  std::cout << at::scaled_dot_product_attention(
                   q.unsqueeze(0),
                   k.unsqueeze(0).transpose(1, 2).reshape({1, 1, 3, 4}).expand({1, 2, 3, 4}),
                   k.reshape({1, 1, 3, 4}).expand({1, 2, 3, 4}))
            << "\n";
}
