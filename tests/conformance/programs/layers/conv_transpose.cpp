#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Transposed convolutions.
int main() {
  torch::manual_seed(2);
  nn::ConvTranspose1d t1(nn::ConvTranspose1dOptions(2, 1, 3).stride(2));
  std::cout << t1(torch::ones({1, 2, 3})) << "\n";
  nn::ConvTranspose2d t2(
      nn::ConvTranspose2dOptions(1, 2, 3).stride(2).padding(1).output_padding(1));
  torch::Tensor x = torch::arange(4, torch::kFloat).view({1, 1, 2, 2});
  std::cout << t2(x) << "\n";
  nn::ConvTranspose2d sized(nn::ConvTranspose2dOptions(1, 1, 3).stride(2));
  std::cout << sized->forward(x, std::vector<int64_t>{6, 6}).sizes() << sized(x).sizes() << "\n";
  nn::ConvTranspose3d t3(nn::ConvTranspose3dOptions(1, 1, 2).bias(false));
  std::cout << t3(torch::ones({1, 1, 1, 2, 2})) << "\n";
  std::cout << torch::nn::functional::conv_transpose2d(
                   x, torch::ones({1, 1, 2, 2}),
                   nn::functional::ConvTranspose2dFuncOptions().stride(1))
            << "\n";
  std::cout << t2->weight.sizes() << t2->options.transposed() << "\n";
}
