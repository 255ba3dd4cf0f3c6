#include <torch/torch.h>

#include <iostream>
#include <thread>

// backward() in two threads adds to the same leaf.
int main() {
  torch::Tensor w = torch::ones({1000}, torch::requires_grad());
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) threads.emplace_back([&w, i] { (w * i).sum().backward(); });
  for (auto& t : threads) t.join();
  std::cout << w.grad()[0].item<float>() << w.grad().sum().item<float>() << "\n";
  at::detail::getDefaultCPUGenerator();
  std::thread([] { torch::manual_seed(5); }).join();
  torch::Tensor a = torch::rand({2});
  torch::manual_seed(5);
  std::cout << torch::rand({2}).equal(a) << "\n";
}
