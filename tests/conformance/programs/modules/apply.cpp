#include <torch/torch.h>

#include <iostream>

// apply, named_apply and named_modules visit the tree.
struct Block : torch::nn::Module {
  Block()
      : a(register_module("a", torch::nn::Linear(2, 2))),
        b(register_module("b", torch::nn::ReLU())) {}
  torch::nn::Linear a;
  torch::nn::ReLU b;
};

struct Net : torch::nn::Module {
  Net() {
    first = register_module("first", std::make_shared<Block>());
    last = register_module("last", torch::nn::Linear(2, 1));
  }
  std::shared_ptr<Block> first;
  torch::nn::Linear last{nullptr};
};

int main() {
  auto net = std::make_shared<Net>();
  net->apply([](torch::nn::Module& m) { std::cout << m.name() << "\n"; });
  net->apply(
      [](const std::string& name, torch::nn::Module& m) {
        std::cout << "'" << name << "' " << m.children().size() << "\n";
      },
      "net");
  net->apply([](const std::shared_ptr<torch::nn::Module>& m) {
    if (auto* linear = m->as<torch::nn::Linear>()) linear->weight.detach().fill_(0.5);
  });
  std::cout << net->last->weight << "\n";
  for (const auto& m : net->named_modules())
    std::cout << "[" << m.key() << "] " << m.value()->name() << "\n";
  for (const auto& m : net->named_modules("x", false)) std::cout << m.key() << " ";
  std::cout << "\n" << (net->last->as<torch::nn::ReLU>() == nullptr) << "\n";
}
