#include <torch/torch.h>

#include <iostream>
#include <sstream>

// A training run stops, is saved, and goes on as if it had not stopped.
int main() {
  auto make = [] {
    return torch::nn::Sequential(torch::nn::Linear(3, 3), torch::nn::Dropout(0.5),
                                 torch::nn::Linear(3, 1));
  };
  auto steps = [](torch::nn::Sequential& net, torch::optim::Optimizer& optimizer, int count) {
    for (int i = 0; i < count; ++i) {
      optimizer.zero_grad();
      net->forward(torch::randn({4, 3})).pow(2).mean().backward();
      optimizer.step();
    }
  };
  torch::manual_seed(0);
  auto net = make();
  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  steps(net, sgd, 3);
  torch::save(net, "net.pt");
  torch::save(sgd, "sgd.pt");
  torch::Tensor rng = at::detail::getDefaultCPUGenerator().get_state();
  steps(net, sgd, 3);
  auto other = make();
  torch::load(other, "net.pt");
  torch::optim::SGD resumed(other->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  torch::load(resumed, "sgd.pt");
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(rng);
  steps(other, resumed, 3);
  for (size_t i = 0; i < net->parameters().size(); ++i)
    std::cout << net->parameters()[i].equal(other->parameters()[i]);
  std::cout << "\n" << net->parameters()[0] << "\n";
}
