#include <torch/torch.h>

#include <iostream>

// AnyModule hides the class of a module.
struct Pair : torch::nn::Module {
  std::string forward(int number, const std::string& text) { return text + std::to_string(number); }
};

int main() {
  torch::manual_seed(2);
  torch::nn::AnyModule any(torch::nn::Linear(2, 3));
  std::cout << any.forward(torch::ones({1, 2})) << "\n";
  torch::nn::AnyModule pair{Pair()};
  std::cout << pair.forward<std::string>(5, std::string("n")) << "\n";
  std::cout << any.get<torch::nn::Linear>()->weight.sizes() << any.ptr()->name() << "\n";
  std::cout << any.is_empty() << torch::nn::AnyModule().is_empty() << "\n";
  any = torch::nn::AnyModule(torch::nn::ReLU());
  std::cout << any.forward<torch::Tensor>(torch::tensor({-1.0, 1.0})) << "\n";
}
