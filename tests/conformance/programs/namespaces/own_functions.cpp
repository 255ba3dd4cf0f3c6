#include <torch/torch.h>

#include <iostream>

// A library of its own beside torch, with argument dependent lookup.
namespace mine {
torch::Tensor relu(const torch::Tensor& x) { return torch::relu(x) + 100; }
template <class T>
T twice(T x) {
  return x + x;
}
struct Linear {
  int value = 1;
};
}  // namespace mine

using torch::nn::LinearImpl;

int main() {
  torch::Tensor x = torch::tensor({-1.0, 2.0});
  std::cout << mine::relu(x) << "\n" << mine::twice(x) << mine::Linear().value << "\n";
  LinearImpl fc(2, 1);
  std::cout << fc.weight.sizes() << abs(x) << dot(x, x).item<float>() << "\n";
  using torch::cat;
  using torch::Tensor;
  std::vector<Tensor> parts(3, x);
  std::cout << cat(parts) << "\n";
}
