#include <cstdio>

#include <torch/torch.h>

#include <tern/train/profiler/nvtx.h>

#include "bench.h"
#include "queued.h"
#include "vae.h"

// One training step of the variational autoencoder with Adam on a GPU: op by op and as a CUDA
// graph, in float32 and with TensorFloat-32. cuda_step.py prints the same lines for PyTorch. With
// the argument "once" after the number of images: one step op by op in the NVTX range "step", for
// tools that list its kernels.

namespace {

struct Training {
  explicit Training(int images) : x(torch::rand({images, 784}, torch::kCUDA)) {
    model->to(torch::kCUDA);
  }
  torch::Tensor step() {
    adam.zero_grad();
    auto loss = bench::loss_of(model, x);
    loss.backward();
    adam.step();
    return loss;
  }

  bench::Autoencoder model;
  torch::optim::Adam adam{model->parameters(), torch::optim::AdamOptions(1e-3).capturable(true)};
  torch::Tensor x;
};

void run(int images, const char* precision, const char* eager_name, const char* graph_name) {
  tern::set_float32_matmul_precision(precision);
  torch::manual_seed(0);
  Training training(images);
  const auto effort = images < 128 ? bench::kBriefly : bench::kOnGpu;
  bench::report_queued(
      eager_name, [&] { training.step(); }, effort);
  // Without an input, as the peer: a value would be copied into it before each replay.
  tern::cuda::GraphedStep graphed({}, [&] { return training.step(); });
  bench::report_queued(
      graph_name, [&] { graphed(); }, effort);
}

void run_once(int images) {
  Training training(images);
  for (int i = 0; i < 3; ++i) training.step();
  torch::cuda::synchronize();
  tern::profiler::nvtx::range_push("step");
  training.step();
  torch::cuda::synchronize();
  tern::profiler::nvtx::range_pop();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[IMAGES [once]]", 2);
  const int images = arguments.number(1, 128, 1, 4096);
  const bool once = arguments.is(2, "once");
  if (!bench::has_gpu()) return 1;
  std::fprintf(stderr, "on %s\n", tern::cuda::get_device_name().c_str());
  if (once) {
    run_once(images);
    return 0;
  }
  run(images, "highest", "VAE step, op by op, float32", "VAE step, graph, float32");
  run(images, "high", "VAE step, op by op, TF32", "VAE step, graph, TF32");
}
