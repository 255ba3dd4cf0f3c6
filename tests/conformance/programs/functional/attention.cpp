#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// multi_head_attention_forward with weights of the program.
int main() {
  torch::Tensor x = torch::arange(16, torch::kFloat).view({2, 2, 4}).sin();
  torch::Tensor in_weight = torch::arange(48, torch::kFloat).view({12, 4}).cos() * 0.5;
  torch::Tensor out_weight = torch::eye(4);
  auto options = F::MultiheadAttentionForwardFuncOptions(
      4, 2, in_weight, torch::zeros({12}), {}, {}, false, 0.0, out_weight, torch::zeros({4}));
  auto [out, weights] = F::multi_head_attention_forward(x, x, x, options);
  std::cout << out << "\n" << weights << "\n";
  options.need_weights(false).training(false);
  std::cout << std::get<1>(F::multi_head_attention_forward(x, x, x, options)).defined() << "\n";
  std::cout << torch::scaled_dot_product_attention(x, x, x, {}, 0.0, /*is_causal=*/true) << "\n";
}
