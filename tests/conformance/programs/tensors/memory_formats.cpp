#include <torch/torch.h>

#include <iostream>

// Channels-last images and contiguity.
int main() {
  torch::Tensor x = torch::arange(24, torch::kFloat).view({1, 3, 2, 4});
  torch::Tensor last = x.contiguous(torch::MemoryFormat::ChannelsLast);
  std::cout << last.strides() << last.is_contiguous()
            << last.is_contiguous(at::MemoryFormat::ChannelsLast) << last.equal(x) << "\n";
  std::cout << torch::empty({1, 2, 3, 3},
                            torch::TensorOptions().memory_format(torch::MemoryFormat::ChannelsLast))
                   .strides()
            << "\n";
  std::cout << last.clone().strides() << last.clone(torch::MemoryFormat::Contiguous).strides()
            << "\n";
  std::cout << torch::empty_like(last).strides() << torch::zeros_like(last, torch::kInt).strides()
            << "\n";
  std::cout << last.suggest_memory_format() << " " << x.suggest_memory_format() << "\n";
  torch::nn::Conv2d conv(3, 2, 1);
  std::cout << conv(last).sizes() << (last + 1).strides() << "\n";
  std::cout << x.to(torch::kDouble, false, false, torch::MemoryFormat::ChannelsLast).strides()
            << "\n";
  std::cout << torch::empty_strided({2, 3}, {1, 2}).strides() << x.is_non_overlapping_and_dense()
            << "\n";
}
