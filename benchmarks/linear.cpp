#include <torch/torch.h>

#include <string>

#include "bench.h"

// A linear layer forward and backward (the gradients of input, weight and bias), from one row,
// where memory dominates, to many rows, where the products dominate.

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  torch::nn::Linear layer(784, 400);
  for (const int batch : {1, 16, 128, 1024}) {
    auto input = torch::randn({batch, 784}).requires_grad_(true);
    const auto gradient = torch::randn({batch, 400});
    const std::string name = "Linear(784, 400) forward + backward, batch " + std::to_string(batch);
    bench::report(name.c_str(), [&] {
      layer->zero_grad();
      input.mutable_grad().reset();
      layer->forward(input).backward(gradient);
    });
  }
}
