#include <torch/torch.h>

#include <iostream>

// ModuleList in a module.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    for (int i = 0; i < 3; ++i) layers->push_back(torch::nn::Linear(4, 4));
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (const auto& layer : *layers) x = torch::tanh(layer->as<torch::nn::Linear>()->forward(x));
    return x;
  }
  torch::nn::ModuleList layers;
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(9);
  Net net;
  std::cout << net(torch::ones({1, 4})) << "\n";
  for (const auto& p : net->named_parameters()) std::cout << p.key() << "\n";
  torch::nn::ModuleList list(torch::nn::Linear(1, 2), torch::nn::ReLU());
  std::cout << list->size() << list->is_empty() << "\n";
  list->push_back(torch::nn::Dropout());
  list->insert(1, torch::nn::Tanh().ptr());
  for (size_t i = 0; i < list->size(); ++i) std::cout << list[i]->name() << "\n";
  std::cout << list->at<torch::nn::LinearImpl>(0).weight.sizes() << "\n";
  std::cout << list << "\n";
}
