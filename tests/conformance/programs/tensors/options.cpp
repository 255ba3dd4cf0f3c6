#include <torch/torch.h>

#include <iostream>

// TensorOptions are built step by step and read back.
int main() {
  const auto options =
      torch::TensorOptions().dtype(torch::kFloat64).device(torch::kCPU).requires_grad(true);
  std::cout << options.dtype() << " " << options.device() << " " << options.requires_grad() << "\n";
  std::cout << options.layout() << " " << options.pinned_memory() << "\n";
  torch::Tensor a = torch::ones({2}, options);
  std::cout << a.dtype() << " " << a.requires_grad() << " " << a.is_leaf() << "\n";
  torch::Tensor b = torch::zeros({2}, a.options().dtype(torch::kInt64).requires_grad(false));
  std::cout << b.scalar_type() << " " << b.device().type() << "\n";
  torch::Tensor c = torch::zeros_like(a, torch::kByte);
  std::cout << c.dtype() << " " << c.numel() << " " << c.element_size() << "\n";
  std::cout << (c.dtype() == torch::kUInt8) << (c.dtype() == torch::kInt8) << "\n";
  torch::Tensor d = torch::empty({2, 2}, torch::requires_grad());
  std::cout << d.requires_grad() << "\n";
  torch::Tensor e = torch::rand({3}, torch::device(torch::kCPU).dtype(torch::kDouble));
  std::cout << e.dtype().name() << " " << e.itemsize() << " " << e.nbytes() << "\n";
  std::cout << a.new_zeros({3}).dtype() << " " << a.new_full({2}, 3).sizes() << "\n";
}
