#include <torch/torch.h>

#include <iostream>
#include <sstream>

// Tensors into streams, files and buffers.
int main() {
  torch::Tensor t = torch::arange(6).view({2, 3});
  std::stringstream stream;
  torch::save(t, stream);
  torch::Tensor copy;
  torch::load(copy, stream);
  std::cout << copy << "\n" << copy.dtype() << "\n";
  torch::save(t.to(torch::kDouble), "tensor.pt");
  torch::Tensor doubles;
  torch::load(doubles, "tensor.pt");
  std::cout << doubles.sizes() << doubles.sum().item<double>() << "\n";
  std::vector<torch::Tensor> many = {torch::ones({2}), torch::zeros({1, 2}, torch::kBool)};
  torch::save(many, "many.pt");
  std::vector<torch::Tensor> loaded;
  torch::load(loaded, "many.pt");
  std::cout << loaded.size() << loaded[0] << "\n" << loaded[1].scalar_type() << "\n";
  torch::Tensor grad = torch::ones({2}, torch::requires_grad());
  std::stringstream again;
  torch::save(grad, again);
  const std::string bytes = again.str();
  torch::Tensor from_bytes;
  torch::load(from_bytes, bytes.data(), bytes.size());
  std::cout << from_bytes << "\n";
  try {
    torch::load(copy, "missing.pt");
  } catch (const std::exception& e) {
    std::cout << "missing\n";
  }
}
