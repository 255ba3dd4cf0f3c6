#include <torch/torch.h>

#include <iostream>

// Two rings of points, separated by a small network.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    fc1 = register_module("fc1", torch::nn::Linear(2, 16));
    fc2 = register_module("fc2", torch::nn::Linear(16, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(fc2(torch::relu(fc1(x))), 1); }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(Net);

int main() {
  torch::manual_seed(2);
  torch::Tensor angle = torch::rand({200}) * 2 * M_PI;
  torch::Tensor label = torch::arange(200) % 2;
  torch::Tensor radius = 1 + label.to(torch::kFloat);
  torch::Tensor points = torch::stack({angle.cos() * radius, angle.sin() * radius}, 1);
  Net net;
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.02));
  for (int epoch = 0; epoch < 150; ++epoch) {
    adam.zero_grad();
    torch::Tensor loss = torch::nll_loss(net(points), label);
    loss.backward();
    adam.step();
    if (epoch == 0) std::printf("%.4f\n", loss.item<float>());
  }
  torch::NoGradGuard no_grad;
  const int64_t right = net(points).argmax(1).eq(label).sum().item<int64_t>();
  std::cout << (right > 195) << "\n";
}
