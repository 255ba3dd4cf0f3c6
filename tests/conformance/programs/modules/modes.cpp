#include <torch/torch.h>

#include <iostream>

// train, eval, zero_grad, to.
struct Net : torch::nn::Module {
  Net()
      : fc(register_module("fc", torch::nn::Linear(3, 2))),
        drop(register_module("drop", torch::nn::Dropout(0.5))) {}
  torch::Tensor forward(torch::Tensor x) { return drop(fc(x)); }
  torch::nn::Linear fc;
  torch::nn::Dropout drop;
};

int main() {
  torch::manual_seed(3);
  auto net = std::make_shared<Net>();
  torch::Tensor x = torch::ones({4, 3});
  net->train();
  std::cout << net->is_training() << net->fc->is_training() << "\n";
  std::cout << net->forward(x) << "\n";
  net->eval();
  std::cout << net->is_training() << net->drop->is_training() << "\n";
  std::cout << net->forward(x) << "\n";
  net->forward(x).sum().backward();
  std::cout << net->fc->bias.grad() << "\n";
  net->zero_grad();
  std::cout << net->fc->bias.grad().defined() << "\n";
  net->to(torch::kDouble);
  std::cout << net->fc->weight.dtype() << "\n";
  net->to(torch::kCPU);
  std::cout << net->forward(x.to(torch::kDouble)).dtype() << "\n";
  net->train(false);
  std::cout << net->is_training() << "\n";
}
