#include <torch/types.h>

#include <iostream>

// torch/types.h declares tensors and factories.
int main() {
  torch::Tensor t = torch::zeros({2}, torch::kInt32);
  std::cout << t << torch::kFloat32 << torch::kInt8 << torch::kU8 << torch::kF64 << "\n";
  torch::TensorOptions options = torch::dtype(torch::kFloat64);
  std::cout << torch::ones({1}, options).dtype() << "\n";
  torch::optional<int64_t> none = torch::nullopt;
  torch::Dtype dtype = torch::kI16;
  std::cout << none.has_value() << dtype << "\n";
  torch::IntArrayRef sizes{1, 2};
  torch::Device device(torch::kCPU);
  std::cout << sizes << device << "\n";
}
