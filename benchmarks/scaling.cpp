#include <torch/torch.h>

#include <string>

#include "bench.h"

// How the cost of a training step grows: a 784-width-10 network with Adam, for batches at width 400
// and for widths at batch 128. scaling_chart.py draws it.

namespace {

void step(const char* axis, long long at, long long batch, long long width) {
  torch::manual_seed(0);
  torch::nn::Sequential net{torch::nn::Linear(784, width), torch::nn::ReLU(),
                            torch::nn::Linear(width, 10)};
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(1e-3));
  const auto x = torch::rand({batch, 784});
  const auto target = torch::randint(10, {batch});
  bench::report((std::string(axis) + " " + std::to_string(at)).c_str(), [&] {
    adam.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(x), target).backward();
    adam.step();
  });
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  for (const long long batch : {1, 4, 16, 64, 256, 1024, 4096}) step("batch", batch, batch, 400);
  for (const long long width : {64, 128, 256, 512, 1024, 2048, 4096}) {
    step("width", width, 128, width);
  }
}
