#include <torch/torch.h>

#include <iostream>

// The gradient of a penalty on a gradient's norm.
int main() {
  torch::manual_seed(0);
  torch::nn::Linear model(4, 3);
  torch::Tensor input = torch::randn({3, 4}).requires_grad_(true);
  torch::Tensor output = model(input);
  torch::Tensor target = torch::randn({3, 3});
  torch::Tensor loss = torch::nn::MSELoss()(output, target);
  torch::Tensor grad_output = torch::ones_like(output);
  torch::Tensor gradient = torch::autograd::grad({output}, {input}, {grad_output}, true, true)[0];
  torch::Tensor penalty = torch::pow((gradient.norm(2, 1) - 1), 2).mean();
  torch::Tensor combined = loss + penalty;
  combined.backward();
  std::cout << gradient << "\n" << penalty.item<float>() << "\n" << loss.item<float>() << "\n";
  std::cout << model->weight.grad() << "\n" << model->bias.grad() << "\n" << input.grad() << "\n";
}
