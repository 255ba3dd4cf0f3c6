#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// Dropout layers draw the same numbers.
int main() {
  torch::manual_seed(11);
  torch::Tensor x = torch::ones({2, 6});
  nn::Dropout drop(0.5);
  std::cout << drop(x) << "\n";
  drop->eval();
  std::cout << drop(x).equal(x) << "\n";
  std::cout << nn::Dropout2d(nn::Dropout2dOptions(0.4))(torch::ones({1, 5, 1, 2})) << "\n";
  std::cout << nn::Dropout3d(0.5)(torch::ones({1, 4, 1, 1, 2})).view({4, 2}) << "\n";
  std::cout << nn::AlphaDropout(0.3)(x) << "\n"
            << nn::FeatureAlphaDropout(0.5)(x.view({1, 6, 2})) << "\n";
  std::cout << F::dropout(x, F::DropoutFuncOptions().p(0.2).training(true)) << "\n"
            << F::dropout(x, F::DropoutFuncOptions().training(false)).equal(x) << "\n";
  std::cout << torch::dropout(x, 0.5, true) << "\n"
            << F::alpha_dropout(x, F::AlphaDropoutFuncOptions().p(0.5).training(false)).equal(x)
            << "\n";
  torch::Tensor y = x.clone();
  nn::Dropout(nn::DropoutOptions(0.5).inplace(true))(y);
  std::cout << y << "\n";
  try {
    nn::Dropout bad(1.5);
  } catch (const c10::Error& e) {
    const std::string text = e.what_without_backtrace();
    std::cout << (text.find("dropout probability has to be between 0 and 1, but got 1.5") !=
                  text.npos)
              << "\n";
  }
}
