// The variational autoencoder of examples/vae, trained by several processes together.
//
//   mpirun -np 4 vae_distributed                four processes on drawn digits
//   mpirun -np 4 vae_distributed --data DIR     on MNIST's four files
//   vae_distributed                             one process
//
//   [--epochs 10] [--batch-size 128] [--lr 1e-3] [--seed 1] [--device cpu|cuda|cuda:N]
//   [--disable-cuda] [--out results]
//
// Rank 0 writes sample_E.png of each epoch E, losses.csv, checkpoint.safetensors and the weights
// vae.json to --out. A run that was stopped continues with the same command and any number of
// processes.
//
// Expected with MNIST and the defaults, on 1 to 4 processes: a test set loss from 104.9 to 106.2
// after 10 epochs.

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>

#include <tern/tern.h>
#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/digits.h"
#include "vae/arguments.h"
#include "vae/model.h"

namespace {

namespace data = tern::data;
namespace train = tern::train;

/// Returns a loader of this rank's share of the digits.
auto share_of(data::datasets::PairDataset digits, const Arguments& arguments,
              const tern::distributed::ProcessGroup& group, bool shuffle) {
  const auto size = static_cast<std::size_t>(group.size());
  const std::size_t count = *digits.size();
  return data::make_data_loader(
      std::move(digits).map(data::transforms::Stack<>()),
      data::samplers::PythonDistributedSampler(count, size, static_cast<std::size_t>(group.rank()),
                                               shuffle, arguments.seed),
      static_cast<std::size_t>(arguments.batch_size) / size);
}

void run(const Arguments& arguments) {
  const auto group = tern::distributed::init_process_group();
  TERN_CHECK(arguments.batch_size % group.size() == 0, tern::Error, "--batch-size ",
             arguments.batch_size, " cannot be divided among ", group.size(), " processes");
  if (group.rank() == 0) std::filesystem::create_directories(arguments.out);
  group.barrier();
  const auto digits = support::load_digits(arguments.data, /*is_training=*/true),
             test_digits = support::load_digits(arguments.data, /*is_training=*/false);

  tern::manual_seed(arguments.seed);
  VAE vae;
  vae->to(arguments.device);
  tern::optim::Adam adam(vae->parameters(), arguments.lr);
  // From here on each rank draws other noise.
  tern::manual_seed(arguments.seed + static_cast<std::uint64_t>(group.rank()));
  const auto loss_per_image = [&](const data::Example<>& batch) {
    const Tensor images = batch.data.view({-1, 784});
    const auto [reconstruction, mu, logvar] = vae->forward(images);
    return loss_of(reconstruction, images, mu, logvar) / images.size(0);
  };
  const auto draw_samples = [&](train::Run& training) {
    if (training.process_group().rank() > 0) return;
    const tern::NoGradGuard no_grad;
    const Tensor codes = tern::randn({64, 20}).to(arguments.device);
    train::save_image(vae->decode(codes).view({-1, 1, 28, 28}),
                      arguments.out + "/sample_" + std::to_string(training.epoch()) + ".png",
                      train::GridOptions().nrow(8));
  };
  auto loader = share_of(digits, arguments, group, /*shuffle=*/true);
  if (group.rank() == 0) std::printf("Processes: %d\n", group.size());
  train::fit(vae, loader, adam, loss_per_image,
             {.epochs = static_cast<std::int64_t>(arguments.epochs),
              .validation = share_of(test_digits, arguments, group, /*shuffle=*/false),
              .callbacks = {train::Print(std::cout), train::LogCsv(arguments.out + "/losses.csv"),
                            draw_samples,
                            train::Checkpoint(arguments.out + "/checkpoint.safetensors",
                                              {.resume = true})},
              .process_group = group});
  if (group.rank() == 0) tern::save(vae, arguments.out + "/vae.json");
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Trains a variational autoencoder by several processes.",
                            "vae_distributed");
  const support::Check count = support::whole(1);
  line.option("--epochs", arguments.epochs, "10 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "of all processes together, 128 unless said")
      .check(count);
  line.option("--lr", arguments.lr, "learning rate, 1e-3 unless said").check(support::positive());
  line.option("--seed", arguments.seed, "seed of all random numbers, 1 unless said");
  line.device(arguments.device);
  line.option("--data", arguments.data, "folder with MNIST's four files; drawn digits without");
  line.option("--out", arguments.out, "folder for all results, results unless said")
      .check(support::output_folder());
  return line.run(argc, argv, [&] { run(arguments); });
}
