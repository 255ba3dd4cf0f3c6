#include <torch/torch.h>

#include <iostream>

// Arithmetic in float16 and bfloat16.
int main() {
  torch::Tensor h = torch::tensor({0.1, 1.0, 2000.0}).to(torch::kHalf);
  torch::Tensor b = torch::tensor({0.1, 1.0, 2000.0}).to(torch::kBFloat16);
  std::cout << h << "\n" << b << "\n" << h + h << "\n" << b * 3 << "\n" << h.sum().dtype() << "\n";
  std::cout << (h * 100).isinf() << "\n"
            << h.to(torch::kFloat)[0].item<float>() << " " << b[0].item<float>() << "\n";
  std::cout << h[1].item<at::Half>() << " " << b.data_ptr<at::BFloat16>()[1] << "\n";
  torch::Tensor m = torch::eye(2, torch::kBFloat16);
  std::cout << m.matmul(m) << "\n" << (h + b).dtype() << "\n";
  c10::Half one(1.0f);
  one += c10::Half(0.5f);
  std::cout << one << (one > c10::Half(1.0f)) << std::numeric_limits<c10::Half>::max() << " "
            << std::numeric_limits<c10::BFloat16>::epsilon() << "\n";
}
