#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Convolutions in one to three dimensions.
int main() {
  torch::manual_seed(1);
  nn::Conv1d conv1(nn::Conv1dOptions(2, 3, 3).stride(2));
  std::cout << conv1(torch::ones({1, 2, 7})) << "\n";
  nn::Conv2d conv2(nn::Conv2dOptions(1, 2, {3, 2}).padding({1, 0}).dilation(1));
  torch::Tensor x = torch::arange(16, torch::kFloat).view({1, 1, 4, 4}).requires_grad_();
  torch::Tensor y = conv2(x);
  std::cout << y << "\n";
  y.sum().backward();
  std::cout << x.grad() << "\n" << conv2->weight.grad().sum() << "\n";
  nn::Conv3d conv3(nn::Conv3dOptions(1, 1, 2).bias(false));
  std::cout << conv3(torch::ones({1, 1, 2, 3, 3})) << "\n";
  nn::Conv2d grouped(nn::Conv2dOptions(4, 4, 3).groups(4).padding(torch::kSame));
  std::cout << grouped->weight.sizes() << grouped(torch::ones({1, 4, 5, 5})).sizes() << "\n";
  nn::Conv2d circular(nn::Conv2dOptions(1, 1, 3).padding(1).padding_mode(torch::kCircular));
  std::cout << circular(x.detach()) << "\n";
  nn::Conv2d reflect(nn::Conv2dOptions(1, 1, 3).padding(1).padding_mode(torch::kReflect));
  std::cout << reflect(x.detach()).sizes() << "\n";
  std::cout << torch::conv2d(x.detach(), torch::ones({1, 1, 2, 2}), {}, 2) << "\n";
}
