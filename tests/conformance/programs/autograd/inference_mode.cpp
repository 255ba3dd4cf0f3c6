#include <torch/torch.h>

#include <iostream>

// Tensors made in inference mode.
template <class F>
void attempt(F f) {
  try {
    f();
    std::cout << "fine\n";
  } catch (const c10::Error& e) {
    std::cout << "refused\n";
  }
}

int main() {
  torch::Tensor normal = torch::ones({2}, torch::requires_grad());
  torch::Tensor made, view;
  {
    c10::InferenceMode guard;
    made = torch::ones({2});
    view = made.view({2, 1});
    made.add_(1);
    std::cout << made.is_inference() << view.is_inference() << "\n";
    std::cout << normal.view({2, 1}).is_inference() << (normal + 1).is_inference() << "\n";
  }
  std::cout << made << "\n";
  attempt([&] { made.add_(1); });
  attempt([&] { made * 2; });
  attempt([&] { normal* made; });
  attempt([&] { made.requires_grad_(); });
  attempt([&] { normal + made; });
  torch::Tensor copy = made.clone();
  std::cout << copy.is_inference() << (made + 1).is_inference() << "\n";
  attempt([&] { copy.requires_grad_().mul(2).sum().backward(); });
  c10::InferenceMode off(false);
  std::cout << c10::InferenceMode::is_enabled() << "\n";
}
