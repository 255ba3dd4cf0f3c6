#include <torch/torch.h>

#include <iostream>

namespace F = torch::nn::functional;

// Functional activations with options.
int main() {
  torch::Tensor x = torch::tensor({{-2.0, -0.5, 0.5}, {1.0, 2.0, 4.0}});
  std::cout << F::relu(x) << "\n" << F::relu6(x, F::ReLU6FuncOptions().inplace(false)) << "\n";
  std::cout << F::elu(x, F::ELUFuncOptions().alpha(0.3)) << "\n"
            << F::selu(x) << "\n"
            << F::celu(x, F::CELUFuncOptions().alpha(0.7)) << "\n";
  std::cout << F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.2)) << "\n"
            << F::gelu(x) << "\n"
            << F::silu(x) << "\n"
            << F::mish(x) << "\n";
  std::cout << F::hardtanh(x, F::HardtanhFuncOptions().min_val(-1).max_val(1.5)) << "\n"
            << F::hardshrink(x, F::HardshrinkFuncOptions().lambda(1)) << "\n";
  std::cout << F::softplus(x, F::SoftplusFuncOptions().beta(0.5).threshold(3.0)) << "\n"
            << F::softshrink(x, F::SoftshrinkFuncOptions(0.1)) << "\n";
  std::cout << F::softmax(x, 1) << "\n"
            << F::softmax(x, F::SoftmaxFuncOptions(0).dtype(torch::kDouble)).dtype() << "\n";
  std::cout << F::log_softmax(x, F::LogSoftmaxFuncOptions(1)) << "\n"
            << F::softmin(x, 0) << "\n"
            << F::glu(x, F::GLUFuncOptions(0)) << "\n";
  std::cout << F::threshold(x, F::ThresholdFuncOptions(0.6, 9)) << "\n"
            << F::prelu(x, torch::tensor({0.25f})) << "\n";
  std::cout << F::rrelu(x, F::RReLUFuncOptions().lower(0.1).upper(0.3).training(false)) << "\n"
            << F::logsigmoid(x) << "\n"
            << F::softsign(x) << "\n"
            << F::tanhshrink(x) << "\n";
  torch::manual_seed(3);
  std::cout << F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().hard(true).dim(1)) << "\n"
            << F::gumbel_softmax(x, F::GumbelSoftmaxFuncOptions().tau(0.5)) << "\n";
  torch::Tensor y = x.clone();
  F::relu(y, F::ReLUFuncOptions(true));
  std::cout << y << "\n";
}
