#include <torch/torch.h>

#include <iostream>

// In-place methods return the tensor, so they chain.
int main() {
  torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3});
  torch::Tensor& same = x.add_(1).mul_(2).sub_(3).div_(2);
  std::cout << same.is_same(x) << "\n" << x << "\n";
  x.clamp_(0, 3).pow_(2).sqrt_();
  std::cout << x << "\n";
  x.transpose_(0, 1);
  std::cout << x.sizes() << "\n";
  x.unsqueeze_(0).squeeze_(0).t_();
  std::cout << x.sizes() << "\n";
  x.masked_fill_(x > 2, 100);
  std::cout << x << "\n";
  x.neg_().abs_().floor_().exp_().log_();
  std::cout << x << "\n";
  x.addcmul_(torch::ones({2, 3}), torch::ones({2, 3}), 0.5).lerp_(torch::zeros({2, 3}), 0.5);
  std::cout << x << "\n";
  x.tril_().fmod_(10).sigmoid_();
  std::cout << x << "\n";
  torch::Tensor i = torch::tensor({1, 2, 3});
  i.bitwise_and_(2).add_(1);
  std::cout << i << "\n";
  i.eq_(3);
  std::cout << i << "\n";
  torch::relu_(x.sub_(0.6));
  std::cout << x << "\n";
}
