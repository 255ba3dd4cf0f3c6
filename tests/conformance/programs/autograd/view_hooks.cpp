#include <torch/torch.h>

#include <iostream>

// Tensor hooks that remove themselves, retain_grad and gradients of views.
int main() {
  torch::Tensor x = torch::arange(4, torch::kFloat).requires_grad_();
  torch::Tensor y = x.view({2, 2}).t();
  y.retain_grad();
  int calls = 0;
  auto first = y.register_hook([&](torch::Tensor g) {
    ++calls;
    return g * 2;
  });
  auto second = x.register_hook([&](torch::Tensor g) {
    calls += 10;
    std::cout << g << "\n";
  });
  y.pow(2).sum().backward();
  std::cout << calls << x.grad() << y.grad() << "\n";
  y.remove_hook(first);
  x.remove_hook(second);
  (x * 2).sum().backward();
  std::cout << calls << x.grad() << "\n";
  std::cout << y.grad_fn()->name() << y.grad_fn()->next_edges()[0].function->name() << "\n";
  std::cout << y.grad_fn()->num_inputs() << y.grad_fn()->num_outputs() << "\n";
  torch::Tensor z = x.detach().clone().requires_grad_(true);
  auto parts = z.split(2);
  (parts[0] * parts[1]).sum().backward();
  std::cout << z.grad() << parts[0].grad_fn()->name() << parts[0].output_nr()
            << parts[1].output_nr() << "\n";
  try {
    x.register_hook([](torch::Tensor g) { return g; });
    torch::ones({1}).register_hook([](torch::Tensor g) { return g; });
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
  try {
    x.remove_hook(7);
  } catch (const std::exception& e) {
    std::cout << "no such hook\n";
  }
}
