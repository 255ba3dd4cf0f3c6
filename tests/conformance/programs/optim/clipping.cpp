#include <torch/torch.h>

#include <iostream>

// Clipping of gradients, and parameters as one vector.
int main() {
  torch::Tensor a = torch::ones({3}, torch::requires_grad());
  torch::Tensor b = torch::ones({2}, torch::requires_grad());
  ((a * 3).sum() + (b * 4).sum()).backward();
  const double norm = torch::nn::utils::clip_grad_norm_({a, b}, 1.0);
  std::cout << norm << "\n" << a.grad() << "\n" << b.grad() << "\n";
  std::cout << torch::nn::utils::clip_grad_norm_(a, 0.1, 1.0) << "\n";
  torch::nn::utils::clip_grad_value_({a, b}, 0.05);
  std::cout << a.grad() << "\n" << b.grad() << "\n";
  torch::Tensor flat = torch::nn::utils::parameters_to_vector({a, b});
  std::cout << flat << "\n";
  torch::nn::utils::vector_to_parameters(torch::arange(5, torch::kFloat), {a, b});
  std::cout << a.detach() << "\n" << b.detach() << "\n";
  std::cout << torch::nn::utils::clip_grad_norm_({a, b}, 5.0,
                                                 std::numeric_limits<double>::infinity())
            << "\n";
  a.mutable_grad() = torch::full({3}, NAN);
  try {
    torch::nn::utils::clip_grad_norm_({a}, 1.0, 2.0, /*error_if_nonfinite=*/true);
  } catch (const c10::Error& e) {
    std::cout << (std::string(e.what_without_backtrace()).find("The total norm of order 2") !=
                  std::string::npos)
              << "\n";
  }
}
