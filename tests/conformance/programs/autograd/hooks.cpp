#include <torch/torch.h>

#include <iostream>

// Hooks of tensors see and change gradients.
int main() {
  torch::Tensor x = torch::ones({3}, torch::requires_grad());
  int calls = 0;
  unsigned handle = x.register_hook([&calls](torch::Tensor grad) {
    ++calls;
    return grad * 2;
  });
  (x * 3).sum().backward();
  std::cout << x.grad() << " " << calls << "\n";
  x.remove_hook(handle);
  x.mutable_grad() = torch::Tensor();
  (x * 3).sum().backward();
  std::cout << x.grad() << " " << calls << "\n";
  torch::Tensor y = x * 2;
  y.register_hook(
      [](const torch::Tensor& grad) { std::cout << "seen " << grad.sum().item<float>() << "\n"; });
  y.register_hook([](const torch::Tensor& grad) { return grad.clamp_max(0.5); });
  y.sum().backward();
  std::cout << x.grad() << "\n";
  try {
    torch::ones({1}).register_hook([](torch::Tensor g) { return g; });
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
