#include <torch/torch.h>

#include <iostream>

// A program adds to the namespaces of the library.
namespace torch {
namespace nn {
struct TwiceImpl : public Cloneable<TwiceImpl> {
  TwiceImpl() { reset(); }
  void reset() override { scale = register_parameter("scale", torch::full({1}, 2.0)); }
  Tensor forward(const Tensor& x) { return x * scale; }
  Tensor scale;
};
TORCH_MODULE(Twice);

namespace functional {
inline Tensor halve(const Tensor& x) { return torch::relu(x) / 2; }
}  // namespace functional
}  // namespace nn

namespace optim {
inline void step_all(std::initializer_list<Optimizer*> optimizers) {
  for (auto* one : optimizers) one->step();
}
}  // namespace optim

inline Tensor my_op(const Tensor& x) { return torch::add(x, torch::ones_like(x)); }
}  // namespace torch

namespace at {
inline Tensor three() { return at::full({2}, 3); }
}  // namespace at

int main() {
  torch::nn::Sequential net{torch::nn::Twice(), torch::nn::Twice()};
  std::cout << net->forward(torch::ones({2})) << "\n"
            << torch::nn::functional::halve(torch::tensor({-2.0, 4.0})) << "\n";
  std::cout << torch::my_op(torch::zeros({2})) << "\n" << at::three() << "\n";
  torch::optim::SGD sgd(net->parameters(), 0.1);
  net->forward(torch::ones({1})).sum().backward();
  torch::optim::step_all({&sgd});
  std::cout << net->parameters()[0] << "\n";
}
