#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Gradients through norms.
int main() {
  torch::manual_seed(8);
  torch::Tensor base = torch::randn({3, 4}, torch::kDouble);
  torch::Tensor weights = torch::randn({3, 4}, torch::kDouble);
  nn::BatchNorm1d bn(4);
  nn::LayerNorm ln(nn::LayerNormOptions({4}));
  nn::GroupNorm gn(2, 4);
  bn->to(torch::kDouble);
  ln->to(torch::kDouble);
  gn->to(torch::kDouble);
  torch::Tensor x = base.clone().requires_grad_();
  (bn(x) * weights).sum().backward();
  std::cout << x.grad() << "\n" << bn->weight.grad() << "\n" << bn->bias.grad() << "\n";
  x = base.clone().requires_grad_();
  (ln(x) * weights).sum().backward();
  std::cout << x.grad() << "\n" << ln->weight.grad() << "\n";
  x = base.clone().requires_grad_();
  (gn(x) * weights).sum().backward();
  std::cout << x.grad() << "\n" << gn->bias.grad() << "\n";
}
