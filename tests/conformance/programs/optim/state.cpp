#include <torch/torch.h>

#include <iostream>
#include <sstream>

// The state of an optimizer survives a save.
int main() {
  torch::manual_seed(0);
  torch::nn::Linear net(2, 1), copy(2, 1);
  torch::Tensor x = torch::ones({3, 2});
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.1));
  for (int i = 0; i < 3; ++i) {
    adam.zero_grad();
    net(x).sum().backward();
    adam.step();
  }
  std::stringstream stream;
  torch::save(adam, stream);
  std::stringstream weights;
  torch::save(net, weights);
  torch::load(copy, weights);
  torch::optim::Adam other(copy->parameters(), torch::optim::AdamOptions(0.5));
  torch::load(other, stream);
  std::cout << other.state().size() << " "
            << static_cast<torch::optim::AdamOptions&>(other.param_groups()[0].options()).lr()
            << "\n";
  adam.zero_grad();
  net(x).sum().backward();
  adam.step();
  other.zero_grad();
  copy(x).sum().backward();
  other.step();
  std::cout << net->weight << "\n" << torch::allclose(net->weight, copy->weight) << "\n";
  auto& state = static_cast<torch::optim::AdamParamState&>(
      *adam.state().at(net->weight.unsafeGetTensorImpl()));
  std::cout << state.step() << " " << state.exp_avg().sizes() << "\n";
}
