#include <torch/torch.h>

#include <iostream>
#include <thread>

// Gradients in several threads of one program.
int main() {
  torch::nn::Linear net(2, 1);
  torch::nn::init::constant_(net->weight, 0.5);
  std::vector<std::thread> threads;
  std::vector<torch::Tensor> results(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      torch::Tensor x = torch::full({1, 2}, i * 1.0, torch::requires_grad());
      results[i] = torch::autograd::grad({net(x).sum()}, {x})[0];
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& r : results) std::cout << r << "\n";
}
