#include <torch/torch.h>

#include <iostream>

// Cloneable modules.
struct NetImpl : torch::nn::Cloneable<NetImpl> {
  explicit NetImpl(int64_t size) : size_(size) { reset(); }
  void reset() override {
    fc = register_module("fc", torch::nn::Linear(size_, size_));
    scale = register_parameter("scale", torch::ones({size_}));
    count = register_buffer("count", torch::zeros({1}));
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc(x) * scale; }
  int64_t size_;
  torch::nn::Linear fc{nullptr};
  torch::Tensor scale, count;
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(1);
  Net net(3);
  auto copy = std::dynamic_pointer_cast<NetImpl>(net->clone());
  torch::Tensor x = torch::ones({1, 3});
  std::cout << net(x).equal(copy->forward(x)) << "\n";
  {
    torch::NoGradGuard guard;
    copy->scale.mul_(2);
    copy->count.add_(5);
  }
  std::cout << torch::allclose(net(x) * 2, copy->forward(x)) << net->count.item<float>()
            << copy->count.item<float>() << "\n";
  std::cout << (copy->fc->weight.data_ptr() == net->fc->weight.data_ptr()) << "\n";
  Net shared = net;
  std::cout << (shared.get() == net.get()) << " " << net->parameters().size() << "\n";
  auto linear = torch::nn::Linear(2, 2);
  auto other = linear->clone();
  std::cout << other->parameters()[0].equal(linear->weight) << "\n";
}
