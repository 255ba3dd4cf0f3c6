#include <torch/torch.h>

#include <iostream>
#include <thread>

// Modes belong to their thread.
int main() {
  torch::NoGradGuard guard;
  std::cout << torch::GradMode::is_enabled() << "\n";
  std::thread([] {
    std::cout << torch::GradMode::is_enabled() << c10::InferenceMode::is_enabled() << "\n";
  }).join();
  std::thread([] {
    c10::InferenceMode mode;
    std::cout << torch::ones({1}).is_inference() << "\n";
  }).join();
  std::cout << torch::ones({1}).is_inference() << "\n";
}
