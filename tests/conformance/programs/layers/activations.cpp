#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;

// Every activation layer.
int main() {
  torch::Tensor x = torch::tensor({-3.0, -1.0, -0.2, 0.0, 0.4, 2.0, 7.0});
  std::cout << nn::ReLU()(x) << "\n"
            << nn::ReLU6()(x) << "\n"
            << nn::ELU(nn::ELUOptions().alpha(0.5))(x) << "\n";
  std::cout << nn::SELU()(x) << "\n"
            << nn::CELU(nn::CELUOptions().alpha(2))(x) << "\n"
            << nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.1))(x) << "\n";
  std::cout << nn::GELU()(x) << "\n"
            << nn::GELU(nn::GELUOptions().approximate("tanh"))(x) << "\n"
            << nn::SiLU()(x) << "\n"
            << nn::Mish()(x) << "\n";
  std::cout << nn::Sigmoid()(x) << "\n"
            << nn::LogSigmoid()(x) << "\n"
            << nn::Tanh()(x) << "\n"
            << nn::Tanhshrink()(x) << "\n";
  std::cout << nn::Softplus(nn::SoftplusOptions().beta(2))(x) << "\n"
            << nn::Softshrink(0.3)(x) << "\n"
            << nn::Softsign()(x) << "\n";
  std::cout << nn::Hardshrink(0.5)(x) << "\n"
            << nn::Hardtanh(nn::HardtanhOptions().min_val(-2).max_val(3))(x) << "\n";
  std::cout << nn::Threshold(0.1, 20)(x) << "\n"
            << nn::PReLU(nn::PReLUOptions().init(0.2))(x) << "\n";
  torch::Tensor m = x.slice(0, 0, 6).view({2, 3});
  std::cout << nn::Softmax(1)(m) << "\n"
            << nn::LogSoftmax(nn::LogSoftmaxOptions(0))(m) << "\n"
            << nn::Softmin(1)(m) << "\n";
  std::cout << nn::Softmax2d()(m.view({1, 2, 1, 3})) << "\n"
            << nn::GLU(nn::GLUOptions(0))(m) << "\n";
  nn::RReLU rrelu;
  rrelu->eval();
  std::cout << rrelu(x) << "\n";
  torch::Tensor y = x.clone();
  nn::ReLU(nn::ReLUOptions().inplace(true))(y);
  std::cout << y << "\n";
}
