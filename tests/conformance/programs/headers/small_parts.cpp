#include <torch/cuda.h>
#include <torch/enum.h>
#include <torch/expanding_array.h>
#include <torch/ordered_dict.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <iostream>

// Small headers of torch.
int main() {
  torch::OrderedDict<std::string, int> dict;
  dict.insert("a", 1);
  std::cout << dict["a"] << torch::ExpandingArray<2>(4) << torch::cuda::is_available() << "\n";
  torch::NoGradGuard guard;
  std::cout << TORCH_VERSION_MAJOR << (torch::get_num_threads() > 0) << "\n";
}
