#include <cstdio>

#include <torch/torch.h>

#include "bench.h"
#include "vae.h"

// One training step of the variational autoencoder with Adam, batch 128, on a GPU: op by op and as
// a CUDA graph, in float32 and with TensorFloat-32. cuda_step.py prints the same lines for PyTorch.

namespace {

// Whole steps queue up on a GPU, so the clock stops only when all of them are done.
template <class Step>
void report_steps(const char* name, const Step& step) {
  constexpr int kSteps = 200;
  for (int i = 0; i < 20; ++i) step();
  const double ns = bench::time_of([&] {
    for (int i = 0; i < kSteps; ++i) step();
    tern::cuda::synchronize();
  });
  std::printf("%s\t%.1f\n", name, ns / kSteps);
}

void run(const char* precision, const char* eager_name, const char* graph_name) {
  tern::set_float32_matmul_precision(precision);
  torch::manual_seed(0);
  bench::Autoencoder model;
  model->to(torch::kCUDA);
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-3).capturable(true));
  const auto x = torch::rand({128, 784}, torch::kCUDA);
  const auto step = [&] {
    adam.zero_grad();
    auto loss = loss_of(model, x);
    loss.backward();
    adam.step();
    return loss;
  };
  report_steps(eager_name, step);
  tern::cuda::GraphedStep graphed({x}, step);
  report_steps(graph_name, [&] { graphed(x); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments none(argc, argv, "", 0);
  if (!tern::cuda::is_available()) {
    std::fprintf(stderr, "no GPU: %s\n", tern::cuda::unavailable_reason().c_str());
    return 1;
  }
  std::fprintf(stderr, "on %s\n", tern::cuda::get_device_name().c_str());
  run("highest", "VAE step, op by op, float32", "VAE step, graph, float32");
  run("high", "VAE step, op by op, TF32", "VAE step, graph, TF32");
}
