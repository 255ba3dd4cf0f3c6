#include <torch/torch.h>

#include <iostream>

#include <sstream>
// Streams of small types, formats of numbers, printing in columns.
int main() {
  std::ostringstream s;
  s << torch::ones({2, 2}) << "|" << torch::Tensor() << "|" << torch::kFloat << "|"
    << torch::Scalar(1.5);
  std::cout << s.str() << "\n";
  std::cout << torch::arange(30, torch::kFloat).view({1, 30}) << "\n";
  std::cout << torch::tensor({1e-8, 1.0, 1e8}, torch::kDouble) << "\n"
            << torch::tensor({0.001f, 1000.0f}) << "\n";
  std::cout << torch::tensor({std::numeric_limits<float>::infinity(), -1.0f, std::nanf("")})
            << "\n";
  std::cout << torch::tensor({true, false}) << torch::tensor({1, -100000000, 3}, torch::kLong)
            << "\n";
  std::cout << torch::zeros({0, 3}) << torch::empty({2, 0, 3}) << torch::zeros({}) << "\n";
  std::cout << torch::ones({2, 1, 2, 2}, torch::kInt) << "\n";
  torch::print(torch::ones({2}));
  std::cout << "\n";
  torch::print(std::cout, torch::arange(20).view({1, 20}), 40);
  std::cout << "\n" << torch::ones({2}).toString() << 1 << "\n";
  std::cout << c10::str(torch::ones({1}).sizes(), " ", torch::kCPU, " ", 3, "x")
            << c10::toString(torch::kHalf) << "\n";
  std::cout << torch::indexing::Slice(1, 5, 2) << torch::indexing::TensorIndex("...")
            << torch::indexing::TensorIndex(3) << "\n";
  std::cout << torch::Layout::Strided << torch::MemoryFormat::Preserve
            << torch::MemoryFormat::ChannelsLast3d << "\n";
}
