#include <torch/torch.h>

#include <future>
#include <iostream>

// Inference in futures with one network.
int main() {
  torch::manual_seed(1);
  torch::nn::Sequential net(torch::nn::Conv2d(1, 2, 3), torch::nn::ReLU(), torch::nn::Flatten(),
                            torch::nn::Linear(8, 2));
  net->eval();
  std::vector<std::future<torch::Tensor>> futures;
  for (int i = 0; i < 6; ++i) {
    futures.push_back(std::async(std::launch::async, [&net, i] {
      torch::NoGradGuard guard;
      return net->forward(torch::full({1, 1, 4, 4}, i * 0.5));
    }));
  }
  for (auto& f : futures) std::cout << f.get() << "\n";
}
