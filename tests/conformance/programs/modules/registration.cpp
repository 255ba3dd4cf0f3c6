#include <torch/torch.h>

#include <iostream>

// A module with parameters, buffers and submodules.
struct Net : torch::nn::Module {
  Net() {
    weight = register_parameter("weight", torch::ones({2, 2}));
    frozen = register_parameter("frozen", torch::zeros({3}), /*requires_grad=*/false);
    steps = register_buffer("steps", torch::zeros({1}, torch::kLong));
    fc = register_module("fc", torch::nn::Linear(2, 3));
    inner = register_module("inner", std::make_shared<torch::nn::LinearImpl>(3, 1));
  }
  torch::Tensor weight, frozen, steps;
  torch::nn::Linear fc{nullptr};
  std::shared_ptr<torch::nn::LinearImpl> inner;
};

int main() {
  Net net;
  for (const auto& p : net.named_parameters()) {
    std::cout << p.key() << " " << p.value().sizes() << " " << p.value().requires_grad() << "\n";
  }
  for (const auto& p : net.named_parameters(/*recurse=*/false)) std::cout << p.key() << "\n";
  for (const auto& b : net.named_buffers()) std::cout << b.key() << " " << b->dtype() << "\n";
  for (const auto& m : net.named_children()) std::cout << m.key() << "\n";
  std::cout << net.parameters().size() << net.buffers().size() << net.children().size()
            << net.modules(false).size() << "\n";
  std::cout << net.named_parameters()["fc.weight"].sizes() << "\n";
  std::cout << (net.named_parameters().find("nothing") == nullptr) << "\n";
  std::cout << net.named_parameters().contains("inner.bias") << "\n";
  std::cout << net.fc->name() << " " << net.name() << "\n";
  std::cout << net.is_training() << "\n";
  net.unregister_module("inner");
  std::cout << net.parameters().size() << "\n";
}
