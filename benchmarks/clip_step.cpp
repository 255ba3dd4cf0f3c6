#include <torch/torch.h>

#include <vector>

#include "bench.h"

// A step of an optimizer over many tensors, alone and after clip_grad_norm_.
//
//   clip_step [THREADS]

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  constexpr int kTensors = 100;
  constexpr long kCount = 6528;
  std::vector<torch::Tensor> parameters;
  for (int i = 0; i < kTensors; ++i) {
    parameters.push_back(torch::zeros({kCount}).requires_grad_(true));
    parameters.back().mutable_grad() = torch::rand({kCount});
  }
  torch::optim::Adam adam(parameters, torch::optim::AdamOptions(1e-3));
  bench::report("Adam, 100 tensors of 6,528", [&] { adam.step(); });
  bench::report("clip_grad_norm_ within the bound and Adam, 100 tensors of 6,528", [&] {
    torch::nn::utils::clip_grad_norm_(parameters, 1e6);
    adam.step();
  });
  // Each call finds the norm too large, because the bound shrinks.
  double bound = 100;
  bench::report("clip_grad_norm_ that scales and Adam, 100 tensors of 6,528", [&] {
    torch::nn::utils::clip_grad_norm_(parameters, bound *= 0.9999);
    adam.step();
  });
}
