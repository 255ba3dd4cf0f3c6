#include <torch/torch.h>

#include <iostream>

// Part of a network stays as it is.
int main() {
  torch::manual_seed(6);
  torch::nn::Sequential body(torch::nn::Linear(3, 3), torch::nn::ReLU());
  torch::nn::Linear head(3, 1);
  for (auto& p : body->parameters()) p.set_requires_grad(false);
  torch::Tensor before = body->parameters()[0].clone();
  std::vector<torch::Tensor> trained;
  for (const auto& p : body->parameters()) {
    if (p.requires_grad()) trained.push_back(p);
  }
  for (const auto& p : head->parameters()) trained.push_back(p);
  std::cout << trained.size() << "\n";
  torch::optim::SGD sgd(trained, torch::optim::SGDOptions(0.1).momentum(0.9));
  torch::Tensor old_head = head->weight.detach().clone();
  for (int i = 0; i < 3; ++i) {
    sgd.zero_grad();
    head(body->forward(torch::ones({2, 3}))).mean().backward();
    sgd.step();
  }
  std::cout << before.equal(body->parameters()[0]) << old_head.equal(head->weight)
            << body->parameters()[0].grad().defined() << "\n";
  std::cout << head->bias << "\n";
}
