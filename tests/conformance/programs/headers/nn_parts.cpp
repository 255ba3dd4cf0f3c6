#include <torch/nn/functional/activation.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/options/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/nn/utils/clip_grad.h>

#include <iostream>

// Single files below torch/nn.
int main() {
  torch::nn::Linear fc(torch::nn::LinearOptions(2, 2));
  torch::nn::init::ones_(fc->weight);
  torch::nn::init::zeros_(fc->bias);
  std::cout << fc(torch::ones({1, 2})) << "\n";
  fc(torch::ones({1, 2})).sum().backward();
  std::cout << torch::nn::utils::clip_grad_norm_(fc->parameters(), 1.0) << "\n";
  torch::nn::Conv1d conv(1, 1, 1);
  std::cout << conv->weight.sizes() << torch::nn::functional::elu(torch::zeros({1})) << "\n";
}
