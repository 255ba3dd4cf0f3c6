#include <torch/torch.h>

#include <iostream>
#include <limits>

// Scalars convert, compare and refuse.
int main() {
  torch::Scalar i(7), d(2.5), b(true), big(int64_t{1} << 40);
  std::cout << i.to<int>() << " " << d.to<double>() << " " << b.to<bool>() << " " << big.toLong()
            << "\n";
  std::cout << i.type() << d.type() << b.type() << "\n" << i.equal(7) << d.equal(2.5) << "\n";
  try {
    big.to<int>();
  } catch (const std::exception& e) {
    std::cout << "does not fit\n";
  }
  torch::Tensor t = torch::scalar_to_tensor(d);
  std::cout << t.dtype() << t.dim() << "\n" << torch::scalar_tensor(i).dtype() << "\n";
  std::cout << torch::tensor({3, 4})[1].item().toInt() << " "
            << torch::tensor(1.5f).item().toFloat() << "\n";
  torch::Scalar copy = torch::tensor(2.0, torch::kDouble).item();
  std::cout << copy.toDouble() * 2 << " " << (torch::ones({1}) * copy).item<float>() << "\n";
  std::cout << torch::Scalar(std::numeric_limits<float>::max()).toFloat() << "\n";
}
