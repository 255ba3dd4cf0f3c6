#include <torch/torch.h>

#include <iostream>

// ExpandingArray, in options and by itself.
int main() {
  torch::ExpandingArray<3> same(5), each({1, 2, 3});
  std::cout << same << each << "\n" << each->at(1) << (*each)[2] << same.size() << "\n";
  at::IntArrayRef view = each;
  std::cout << view.size() << "\n";
  torch::ExpandingArray<2, double> numbers(0.5);
  std::cout << numbers->front() << "\n";
  std::vector<int64_t> v = {7, 8};
  torch::ExpandingArray<2> from(v);
  std::cout << (*from)[0] << "\n";
  torch::nn::Conv2dOptions options(1, 2, 3);
  options.stride({2, 1});
  std::cout << options.stride() << options.kernel_size() << options.dilation() << "\n";
  torch::ExpandingArrayWithOptionalElem<2> maybe({2, c10::nullopt});
  std::cout << (*maybe)[0].value() << (*maybe)[1].has_value() << "\n";
  try {
    torch::ExpandingArray<2> wrong(std::vector<int64_t>{1, 2, 3});
  } catch (const c10::Error& e) {
    std::cout << e.what_without_backtrace() << "\n";
  }
}
