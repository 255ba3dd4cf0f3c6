#include <torch/special.h>
#include <torch/torch.h>

#include <iostream>

// Functions of torch::special.
int main() {
  torch::Tensor x = torch::tensor({0.2, 0.5, 0.9});
  std::cout << torch::special::erf(x) << "\n"
            << torch::special::gammaln(x) << "\n"
            << torch::special::expit(x) << "\n";
  std::cout << torch::special::logit(x) << "\n"
            << torch::special::xlogy(x, 2) << "\n"
            << torch::special::entr(x) << "\n";
  std::cout << torch::special::i0(x) << "\n"
            << torch::special::ndtri(x) << "\n"
            << torch::special::log_softmax(x, 0, {}) << "\n";
  std::cout << torch::special::polygamma(1, x) << "\n"
            << torch::special::sinc(x) << "\n"
            << torch::special::logsumexp(x, 0, false) << "\n";
}
