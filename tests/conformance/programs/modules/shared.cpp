#include <torch/torch.h>

#include <iostream>

// A layer used twice, swapped modules, and modules as pointers.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    shared = register_module("shared", torch::nn::Linear(2, 2));
    for (int i = 0; i < 2; ++i)
      register_module("layer" + std::to_string(i), torch::nn::Linear(2, 2));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = shared(shared(x));
    for (const auto& child : children()) {
      if (child.get() != shared.get())
        x = std::dynamic_pointer_cast<torch::nn::LinearImpl>(child)->forward(x);
    }
    return x;
  }
  torch::nn::Linear shared{nullptr};
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(4);
  Net net;
  std::cout << net(torch::ones({1, 2})) << net->parameters().size() << "\n";
  net(torch::ones({1, 2})).sum().backward();
  for (const auto& item : net->named_parameters())
    std::cout << item.key() << " " << item.value().grad().abs().sum().item<float>() << "\n";
  net->replace_module("layer1", torch::nn::Linear(torch::nn::LinearOptions(2, 3).bias(false)));
  std::cout << net(torch::ones({1, 2})).sizes() << net->parameters().size() << "\n";
  std::shared_ptr<torch::nn::Module> base = net.ptr();
  std::cout << base->as<NetImpl>()->shared->weight.sizes()
            << (base->as<torch::nn::Conv2d>() == nullptr) << "\n";
  std::cout << net->shared_from_this().use_count() - 3 << "\n";
}
