#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <string>

// Trains a little, saves a checkpoint and loads it again.

struct NetImpl : torch::nn::Module {
  NetImpl() : fc1(4, 8), fc2(8, 1) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }
  torch::Tensor forward(torch::Tensor x) { return fc2(torch::relu(fc1(x))); }
  torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(1);
  Net net, copy;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(0.01));
  auto dataset = torch::data::datasets::TensorDataset(torch::randn({32, 4}));
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      dataset.map(torch::data::transforms::Stack<torch::data::TensorExample>()), 8);
  for (auto& batch : *loader) {
    optimizer.zero_grad();
    auto loss = net->forward(batch.data).pow(2).mean();
    loss.backward();
    optimizer.step();
  }
  torch::save(net, "checkpoint.pt");
  torch::save(optimizer, "optimizer.pt");
  torch::load(copy, "checkpoint.pt");
  torch::load(optimizer, "optimizer.pt");
  const auto x = torch::ones({1, 4});
  std::cout << net->forward(x) << std::endl;
  return torch::equal(net->forward(x), copy->forward(x)) ? 0 : 1;
}
