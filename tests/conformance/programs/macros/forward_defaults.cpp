#include <torch/torch.h>

#include <iostream>

// Default arguments of forward() inside containers.
struct AddImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x, int by = 1, double factor = 2.0) {
    return (x + by) * factor;
  }

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(1)}, {2, torch::nn::AnyValue(2.0)})
};
TORCH_MODULE(Add);

int main() {
  torch::nn::Sequential net{Add(), Add()};
  std::cout << net->forward(torch::zeros({2})) << "\n"
            << net->forward(torch::zeros({2}), 5) << "\n"
            << net->forward(torch::zeros({2}), 5, 1.0) << "\n";
  torch::nn::AnyModule any{Add()};
  std::cout << any.forward(torch::ones({1})) << "\n";
}
