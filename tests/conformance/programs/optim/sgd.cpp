#include <torch/torch.h>

#include <cstdio>

// SGD with its options, step by step.
void run(torch::optim::SGDOptions options) {
  torch::Tensor w = torch::tensor({1.0, -2.0}, torch::dtype(torch::kDouble).requires_grad(true));
  torch::optim::SGD sgd({w}, options);
  for (int i = 0; i < 5; ++i) {
    sgd.zero_grad();
    (w * w).sum().backward();
    sgd.step();
  }
  std::printf("%.6f %.6f\n", w[0].item<double>(), w[1].item<double>());
}

int main() {
  run(torch::optim::SGDOptions(0.1));
  run(torch::optim::SGDOptions(0.1).momentum(0.9));
  run(torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true));
  run(torch::optim::SGDOptions(0.1).momentum(0.5).dampening(0.2));
  run(torch::optim::SGDOptions(0.05).weight_decay(0.1));
  run(0.2);
}
