#include <torch/torch.h>

#include <iostream>
#include <vector>

// Tensors over memory of the program, with and without a deleter.
int main() {
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  torch::Tensor t = torch::from_blob(values.data(), {2, 3});
  std::cout << t << "\n";
  t.mul_(2);
  std::cout << values[0] << " " << values[5] << "\n";
  values[1] = 100;
  std::cout << t[0][1].item<float>() << "\n";
  int64_t numbers[] = {10, 20, 30, 40};
  torch::Tensor strided = torch::from_blob(numbers, {2}, {2}, torch::kInt64);
  std::cout << strided << "\n";
  bool freed = false;
  {
    auto* memory = new double[3]{0.5, 1.5, 2.5};
    torch::Tensor owner = torch::from_blob(
        memory, {3},
        [&freed](void* p) {
          delete[] static_cast<double*>(p);
          freed = true;
        },
        torch::kFloat64);
    std::cout << owner.sum().item<double>() << " " << freed << "\n";
  }
  std::cout << freed << "\n";
  torch::Tensor copy =
      torch::from_blob(values.data(), {6}, torch::TensorOptions(torch::kFloat)).clone();
  values[0] = -1;
  std::cout << copy[0].item<float>() << "\n";
}
