#include <torch/torch.h>

#include <cstdio>

#include "bench.h"
#include "peak.h"
#include "vae.h"

// The memory that training the variational autoencoder needs beyond the program's start, in kB: 20
// steps of batch 128.

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  const long start = bench::peak();
  torch::manual_seed(0);
  bench::Autoencoder model;
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-3));
  const auto x = torch::rand({128, 784});
  for (int i = 0; i < 20; ++i) {
    adam.zero_grad();
    bench::loss_of(model, x).backward();
    adam.step();
  }
  std::printf("%ld\n", bench::peak() - start);
}
