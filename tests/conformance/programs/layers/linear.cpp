#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Linear, Bilinear, Identity, Flatten and Unflatten.
int main() {
  torch::manual_seed(0);
  nn::Linear fc(4, 3);
  torch::Tensor x = torch::randn({2, 4});
  std::cout << fc->weight << "\n" << fc->bias << "\n" << fc(x) << "\n";
  nn::Linear no_bias(nn::LinearOptions(4, 2).bias(false));
  std::cout << no_bias(x) << "\n" << no_bias->bias.defined() << "\n";
  nn::Bilinear bilinear(nn::BilinearOptions(4, 4, 2));
  std::cout << bilinear(x, x) << "\n";
  std::cout << nn::Identity()(x).is_same(x) << "\n";
  std::cout << nn::Flatten()(torch::ones({2, 3, 4})).sizes() << "\n";
  std::cout
      << nn::Flatten(nn::FlattenOptions().start_dim(0).end_dim(1))(torch::ones({2, 3, 4})).sizes()
      << "\n";
  std::cout << nn::Unflatten(nn::UnflattenOptions(1, {2, 2}))(x).sizes() << "\n";
  fc(x).sum().backward();
  std::cout << fc->weight.grad() << "\n";
  fc->reset_parameters();
  std::cout << fc->options.in_features() << fc->bias << "\n";
}
