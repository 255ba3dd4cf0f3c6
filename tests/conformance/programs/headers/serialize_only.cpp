#include <torch/serialize.h>
#include <torch/types.h>

#include <iostream>
#include <sstream>

// torch/serialize.h alone.
int main() {
  std::stringstream stream;
  torch::save(torch::ones({2, 2}), stream);
  torch::Tensor t;
  torch::load(t, stream);
  std::cout << t << "\n";
}
