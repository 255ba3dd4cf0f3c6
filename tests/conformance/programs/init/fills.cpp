#include <torch/torch.h>

#include <iostream>

namespace init = torch::nn::init;

// Every initialiser.
int main() {
  torch::manual_seed(21);
  torch::Tensor w = torch::empty({3, 4});
  std::cout << init::uniform_(w, -1, 1) << "\n" << init::normal_(w, 1, 0.1) << "\n";
  std::cout << init::xavier_uniform_(w) << "\n" << init::xavier_normal_(w, 2.0) << "\n";
  std::cout << init::kaiming_uniform_(w, 0, torch::kFanIn, torch::kReLU) << "\n"
            << init::kaiming_normal_(w, 0.2, torch::kFanOut, torch::kLeakyReLU) << "\n";
  std::cout << init::constant_(w, 0.3) << "\n"
            << init::ones_(w).sum() << init::zeros_(w).sum() << "\n"
            << init::eye_(w) << "\n";
  torch::Tensor q = init::orthogonal_(torch::empty({3, 3}));
  std::cout << torch::allclose(q.matmul(q.t()), torch::eye(3), 1e-4, 1e-5) << "\n";
  std::cout << init::dirac_(torch::empty({2, 2, 3})) << "\n";
  std::cout << (init::sparse_(torch::empty({4, 2}), 0.5) == 0).sum(0) << "\n";
  std::cout << init::calculate_gain(torch::kReLU) << " " << init::calculate_gain(torch::kTanh)
            << " " << init::calculate_gain(torch::kLeakyReLU, 0.1) << "\n";
  auto [fan_in, fan_out] = init::_calculate_fan_in_and_fan_out(torch::empty({4, 3, 2, 2}));
  std::cout << fan_in << " " << fan_out << "\n";
  try {
    init::xavier_uniform_(torch::empty({3}));
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout
        << (text.find(
                "Fan in and fan out cannot be computed for tensor with fewer than 2 dimensions") !=
            text.npos)
        << "\n";
  }
}
