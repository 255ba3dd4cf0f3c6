#include <torch/torch.h>

#include <iostream>

// The same types under several names.
int main() {
  static_assert(std::is_same_v<at::Tensor, torch::Tensor>);
  static_assert(std::is_same_v<torch::autograd::Variable, torch::Tensor>);
  static_assert(std::is_same_v<c10::IntArrayRef, at::IntArrayRef>);
  static_assert(std::is_same_v<torch::Device, c10::Device>);
  static_assert(std::is_same_v<torch::ScalarType, at::ScalarType>);
  static_assert(std::is_same_v<torch::autograd::tensor_list, std::vector<torch::Tensor>>);
  at::Tensor a = torch::ones({2}, at::kFloat);
  torch::Tensor b = at::zeros({2}, torch::kF32);
  std::cout << at::add(a, b) << torch::add(a, b).equal(at::add(a, b)) << "\n";
  std::cout << (torch::kInt == at::kInt) << (torch::kInt32 == c10::ScalarType::Int)
            << (torch::kUInt8 == torch::kByte) << "\n";
  torch::DeviceType type = at::DeviceType::CPU;
  std::cout << type << (type == torch::kCPU) << "\n";
}
