#include <torch/torch.h>

#include <iostream>

// Guards that switch recording on and off.
int main() {
  torch::Tensor x = torch::ones({2}, torch::requires_grad());
  {
    torch::NoGradGuard no_grad;
    std::cout << (x * 2).requires_grad() << " " << torch::GradMode::is_enabled() << "\n";
    {
      torch::AutoGradMode enable(true);
      std::cout << (x * 2).requires_grad() << "\n";
    }
    x.add_(1);
  }
  std::cout << x << " " << x.requires_grad() << "\n";
  {
    torch::AutoGradMode guard(false);
    std::cout << (x + 1).requires_grad() << "\n";
  }
  {
    c10::InferenceMode inference;
    torch::Tensor y = x * 2;
    std::cout << y.is_inference() << y.requires_grad() << c10::InferenceMode::is_enabled() << "\n";
  }
  std::cout << x.is_inference() << torch::GradMode::is_enabled() << "\n";
  torch::GradMode::set_enabled(false);
  std::cout << (x * x).requires_grad() << "\n";
  torch::GradMode::set_enabled(true);
  try {
    x.add_(1);
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout
        << (text.find(
                "a leaf Variable that requires grad is being used in an in-place operation.") !=
            text.npos)
        << "\n";
  }
}
