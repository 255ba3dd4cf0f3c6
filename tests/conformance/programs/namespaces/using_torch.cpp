#include <torch/torch.h>

#include <iostream>

using namespace torch;

// The whole of torch without its name.
struct NetImpl : nn::Module {
  NetImpl() : fc(register_module("fc", nn::Linear(2, 1))) {}
  Tensor forward(Tensor x) { return sigmoid(fc(x)); }
  nn::Linear fc;
};
TORCH_MODULE(Net);

int main() {
  manual_seed(1);
  Net net;
  Tensor x = torch::ones({3, 2});
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1));
  mse_loss(net(x), torch::zeros({3, 1})).backward();
  sgd.step();
  std::cout << net(x) << "\n" << cat({x, x}).sizes() << kFloat << Device(kCPU) << "\n";
  NoGradGuard guard;
  std::cout << max(x).item<float>() << sum(x).item<float>() << where(x > 0, x, x * 2).sizes()
            << "\n";
}
