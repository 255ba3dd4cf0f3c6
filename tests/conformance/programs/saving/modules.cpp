#include <torch/torch.h>

#include <iostream>
#include <sstream>

// Modules, with buffers, into another of the same structure.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("body", body);
    register_module("norm", norm);
    count = register_buffer("count", torch::zeros({1}, torch::kLong));
  }
  torch::nn::Sequential body{torch::nn::Sequential(torch::nn::Linear(3, 4), torch::nn::ReLU())};
  torch::nn::BatchNorm1d norm{torch::nn::BatchNorm1d(4)};
  torch::Tensor count;
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(1);
  Net net, other;
  net->count.fill_(7);
  net->norm(net->body->forward(torch::randn({5, 3})));
  torch::save(net, "net.pt");
  torch::load(other, "net.pt");
  auto a = net->named_parameters(), b = other->named_parameters();
  for (const auto& p : a) std::cout << p.key() << p.value().equal(b[p.key()]) << "\n";
  std::cout << other->count.item<int64_t>()
            << other->norm->running_mean.equal(net->norm->running_mean) << "\n";
  std::stringstream stream;
  torch::save(net->body, stream);
  torch::nn::Sequential sequential(torch::nn::Linear(3, 4), torch::nn::ReLU());
  torch::load(sequential, stream);
  std::cout << sequential->parameters()[0].equal(net->body->parameters()[0]) << "\n";
  torch::nn::Linear wrong(2, 2);
  try {
    torch::load(wrong, "net.pt");
    std::cout << "loaded\n";
  } catch (const c10::Error&) {
    std::cout << "does not fit\n";
  }
}
