#include <torch/torch.h>

#include "bench.h"
#include "vae.h"

// One training step of the variational autoencoder with Adam, batch 128.

using bench::loss_of;

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  torch::manual_seed(0);
  bench::Autoencoder model;
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-3));
  const auto x = torch::rand({128, 784});
  bench::report("VAE training step, batch 128", [&] {
    adam.zero_grad();
    loss_of(model, x).backward();
    adam.step();
  });
  bench::report("VAE forward and backward", [&] {
    adam.zero_grad();
    loss_of(model, x).backward();
  });
  {
    const torch::NoGradGuard no_grad;
    bench::report("VAE forward without gradients", [&] { loss_of(model, x); });
  }
// Compares tern's step in "medium" with libtorch's in "highest".
#ifdef TERN_MODULE
  tern::set_float32_matmul_precision("medium");
#endif
  bench::report("VAE training step, medium (peer: highest)", [&] {
    adam.zero_grad();
    loss_of(model, x).backward();
    adam.step();
  });
#ifdef TERN_MODULE
  tern::set_float32_matmul_precision("highest");
#endif
  loss_of(model, x).backward();
  bench::report("Adam over 652,824 parameters", [&] { adam.step(); });
}
