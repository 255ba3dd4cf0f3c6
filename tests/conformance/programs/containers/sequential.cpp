#include <torch/torch.h>

#include <iostream>

// Sequential: forward with several types, iteration, push_back, names.
int main() {
  torch::manual_seed(5);
  torch::nn::Sequential net;
  net->push_back(torch::nn::Linear(3, 4));
  net->push_back("act", torch::nn::ReLU());
  net->push_back(torch::nn::Linear(4, 2));
  net->push_back(torch::nn::Functional([](torch::Tensor x) { return x * 2; }));
  torch::Tensor x = torch::ones({2, 3});
  std::cout << net->forward(x) << "\n" << net->size() << net->is_empty() << "\n";
  for (const auto& child : net->named_children())
    std::cout << child.key() << " " << child.value()->name() << "\n";
  for (auto& module : *net)
    std::cout << module.ptr()->name() << " " << module.type_info().name()[0] << "\n";
  std::cout << net->at<torch::nn::LinearImpl>(0).weight.sizes() << net[1]->name() << "\n";
  std::cout << net->ptr(2)->name() << " " << net->ptr<torch::nn::LinearImpl>(2)->bias.sizes()
            << "\n";
  torch::nn::Sequential named({{"one", torch::nn::Linear(2, 2)}, {"two", torch::nn::Tanh()}});
  std::cout << named << "\n";
  net->extend(*named);
  std::cout << net->size() << " " << net->parameters().size() << "\n";
  auto copy = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(
      torch::nn::Sequential(torch::nn::Linear(1, 1))->clone());
  std::cout << copy->size() << "\n";
  try {
    torch::nn::Sequential()->forward(x);
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
