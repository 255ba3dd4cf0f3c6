#include <torch/torch.h>

#include <iostream>

namespace nn = torch::nn;
namespace F = torch::nn::functional;

// Padding layers and functional pad.
int main() {
  torch::Tensor x = torch::arange(1, 7, torch::kFloat).view({1, 1, 2, 3});
  torch::Tensor line = torch::arange(4, torch::kFloat).view({1, 1, 4});
  std::cout << nn::ZeroPad2d(1)(x) << "\n"
            << nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 0, 0, 2}))(x) << "\n";
  std::cout << nn::ConstantPad1d(nn::ConstantPad1dOptions(2, 3.5))(line) << "\n"
            << nn::ConstantPad2d(1, -1)(x) << "\n";
  std::cout << nn::ReflectionPad1d(2)(line) << "\n"
            << nn::ReflectionPad2d(nn::ReflectionPad2dOptions({1, 1, 1, 0}))(x) << "\n";
  std::cout << nn::ReplicationPad1d(nn::ReplicationPad1dOptions({3, 1}))(line) << "\n"
            << nn::ReplicationPad2d(1)(x) << "\n";
  std::cout << nn::ConstantPad3d(nn::ConstantPad3dOptions(1, 9))(x.view({1, 1, 1, 2, 3})).sum()
            << "\n";
  std::cout << nn::ReplicationPad3d(1)(x.view({1, 1, 1, 2, 3})).sizes() << "\n";
  std::cout << F::pad(x, F::PadFuncOptions({1, 1}).mode(torch::kConstant).value(7)) << "\n";
  std::cout << F::pad(line, F::PadFuncOptions({1, 2}).mode(torch::kCircular)) << "\n";
  std::cout << F::pad(line, F::PadFuncOptions({1, 2}).mode(torch::kReplicate)) << "\n";
  std::cout << torch::constant_pad_nd(x, {0, 1}, 5) << "\n"
            << F::pad(x, F::PadFuncOptions({-1, 0})) << "\n";
}
