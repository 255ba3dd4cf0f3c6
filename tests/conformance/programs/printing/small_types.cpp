#include <torch/torch.h>

#include <iostream>

// How devices, dtypes, sizes, scalars and options print.
int main() {
  std::cout << torch::kCPU << " " << torch::Device(torch::kCPU) << " " << torch::Device("cuda:1")
            << " " << torch::Device(torch::kCUDA, 0).str() << "\n";
  std::cout << torch::kFloat << " " << torch::kLong << " " << torch::kHalf << " " << torch::kBool
            << " " << torch::kBFloat16 << "\n";
  std::cout << torch::kStrided << " " << torch::MemoryFormat::Contiguous << " "
            << torch::MemoryFormat::ChannelsLast << "\n";
  std::cout << torch::IntArrayRef({1, 2, 3}) << " " << torch::IntArrayRef() << " "
            << std::vector<int64_t>{4, 5} << "\n";
  std::cout << torch::Scalar(3) << " " << torch::Scalar(2.5) << " " << torch::Scalar(true) << "\n";
  std::cout << torch::ExpandingArray<2>(3) << " " << torch::ExpandingArray<3>({1, 2, 3}) << "\n";
  std::cout << torch::TensorOptions().dtype(torch::kDouble) << "\n"
            << torch::ones({1}).options() << "\n";
  std::cout << torch::ones({1}).dtype() << " " << torch::ones({1}).scalar_type() << "\n";
  std::cout << c10::DeviceType::CUDA << " " << c10::Half(1.5f) << " " << c10::BFloat16(2.0f)
            << "\n";
  std::cout << std::vector<std::string>{"a", "b"} << "\n";
}
