#include <ATen/ATen.h>

#include <iostream>

// ATen alone.
int main() {
  at::Tensor a = at::arange(6, at::kFloat).view({2, 3});
  at::Tensor b = at::ones({3, 2}, at::TensorOptions().dtype(at::kFloat));
  std::cout << at::mm(a, b) << "\n" << at::cat({a, a}, 1) << "\n" << a.sum().item<float>() << "\n";
  std::cout << at::zeros_like(a).sizes() << at::empty({2}, at::kLong).dtype() << "\n";
  at::IntArrayRef sizes = a.sizes();
  std::cout << sizes << at::kCPU << at::ScalarType::Double << "\n";
  at::Scalar s = 3;
  std::cout << (a * s).max().item<float>() << "\n";
  std::cout << at::softmax(a, 1) << "\n" << at::relu(a - 2) << "\n";
  at::manual_seed(3);
  std::cout << at::rand({2}) << "\n" << at::sigmoid(at::zeros({1})) << "\n";
}
