#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <memory>

#include "bench.h"
#include "support/digits.h"
#include "vae.h"

// The cost of an epoch of the example beyond its steps: the loader, reading the loss and printing a
// line, compared with as many steps on one batch that is ready.
//
//   epoch [THREADS [FOLDER]]      MNIST's files in FOLDER; without it, 10,000 drawn digits

namespace {

namespace data = tern::data;
using data::datasets::MNIST;
using support::Digits;

/// Runs one step and returns the loss.
torch::Tensor step(bench::Autoencoder& model, torch::optim::Adam& adam,
                   const torch::Tensor& images) {
  adam.zero_grad();
  const auto loss = bench::loss_of(model, images);
  loss.backward();
  adam.step();
  return loss;
}

template <class Fn>
double seconds(const Fn& fn) {
  const auto start = std::chrono::steady_clock::now();
  fn();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS [FOLDER]]", 2);
  tern::set_num_threads(arguments.threads());
  tern::manual_seed(0);
  const auto digits = argc > 2 ? data::datasets::PairDataset(MNIST(argv[2], MNIST::Mode::kTrain))
                               : data::datasets::PairDataset(Digits(10000, /*seed=*/1));
  const auto loader = data::make_data_loader<data::samplers::PythonRandomSampler>(
      map(digits, data::transforms::Stack<>()), /*batch_size=*/128);
  bench::Autoencoder model;
  torch::optim::Adam adam(model->parameters(), torch::optim::AdamOptions(1e-3));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> log(std::fopen("/dev/null", "w"),
                                                            std::fclose);

  const auto epoch = [&] {
    int batches = 0;
    for (const data::Example<>& batch : *loader) {
      const auto images = batch.data.view({-1, 784});
      const double loss = step(model, adam, images).item<double>();
      std::fprintf(log.get(), "%d %f\n", batches++, loss / static_cast<double>(images.size(0)));
    }
    return batches;
  };
  const int batches = epoch();
  const auto images = torch::rand({128, 784});
  double with_loader = 0, alone = 0;
  for (int round = 0; round < 5; ++round) {
    const double a = seconds(epoch);
    const double b = seconds([&] {
      for (int i = 0; i < batches; ++i) step(model, adam, images);
    });
    with_loader = round == 0 ? a : std::min(a, with_loader);
    alone = round == 0 ? b : std::min(b, alone);
  }
  std::printf("epoch of the example over its steps alone\tratio\t%.3f\n", with_loader / alone);
}
