#include <torch/torch.h>

#include <iostream>

// What a tensor tells about itself.
int main() {
  torch::Tensor t = torch::arange(24, torch::kFloat).view({2, 3, 4});
  std::cout << t.dim() << " " << t.ndimension() << " " << t.numel() << "\n";
  std::cout << t.sizes() << " " << t.strides() << "\n";
  std::cout << t.size(0) << " " << t.size(-1) << " " << t.stride(1) << "\n";
  std::cout << t.is_contiguous() << " " << t.transpose(0, 2).is_contiguous() << "\n";
  std::cout << t.defined() << " " << torch::Tensor().defined() << "\n";
  std::cout << t.storage_offset() << " " << t[1].storage_offset() << "\n";
  std::cout << t.is_floating_point() << t.is_signed() << t.is_complex() << t.is_cuda()
            << t.is_sparse() << "\n";
  std::cout << t.use_count() << "\n";
  torch::Tensor same = t;
  std::cout << t.use_count() << " " << same.is_same(t) << " " << t.clone().is_same(t) << "\n";
  std::cout << t.has_storage() << " " << t.data_ptr<float>()[5] << "\n";
  std::cout << t.toString() << "\n";
  const auto sizes = t.sizes().vec();
  for (auto size : sizes) std::cout << size << ",";
  std::cout << "\n";
  std::cout << (t.sizes() == torch::IntArrayRef({2, 3, 4})) << "\n";
  std::cout << torch::numel(t) << " " << t.layout() << "\n";
}
