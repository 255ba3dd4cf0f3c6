#include <torch/torch.h>

#include <cstdio>

// A line through noisy points.
int main() {
  torch::manual_seed(1);
  torch::Tensor x = torch::rand({64, 1}) * 2 - 1;
  torch::Tensor y = 3 * x - 0.5 + torch::randn({64, 1}) * 0.01;
  torch::nn::Linear fc(1, 1);
  torch::optim::SGD sgd(fc->parameters(), /*lr=*/0.5);
  float last = 0;
  for (int step = 0; step < 200; ++step) {
    sgd.zero_grad();
    torch::Tensor loss = torch::nn::functional::smooth_l1_loss(fc(x), y);
    loss.backward();
    sgd.step();
    last = loss.item<float>();
  }
  std::printf("%.4f %.3f %.3f\n", last, fc->weight.item<float>(), fc->bias.item<float>());
}
