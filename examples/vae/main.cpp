// A variational autoencoder on digits (Kingma and Welling, 2013) with the sizes, random numbers and
// output lines of PyTorch's vae example.
//
//   vae                draws its own digits: 10,000 for training, 2,000 for testing
//   vae --data DIR     reads MNIST's four files, or another set of 28 x 28 images in this format
//   vae --amp float16  trains with automatic mixed precision, also in bfloat16
//   vae --resume FILE  continues from a checkpoint, bit for bit as without a stop
//
// Writes to --out: reconstruction_E.png and sample_E.png of each epoch E, losses.csv, loss.svg,
// checkpoint.json and the weights vae.json.
//
// Expected with MNIST and the defaults: a test set loss from 104.9 to 106.2 after 10 epochs.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include <tern/tern.h>
#include <tern/train/train.h>

#include "run.h"
#include "support/command_line.h"
#include "support/digits.h"

namespace data = tern::data;

namespace {

double train(Run& run, auto& loader, std::int64_t count) {
  const std::int64_t batches = (count - 1) / run.arguments.batch_size + 1;
  tern::train::ProgressBar progress(stdout, "Epoch " + std::to_string(run.epoch()), batches);
  const bool lines = run.arguments.no_progress || progress.mode() != tern::train::ProgressMode::Bar;
  run.vae->train();
  double total = 0;
  std::int64_t index = 0;
  for (const data::Example<>& batch : loader) {
    const Tensor images = batch.data.to(run.device).view({-1, 784});
    const bool whole = images.size(0) == run.arguments.batch_size;  // a graph has one batch size
    const Tensor loss = run.graph && whole ? (*run.graph)(images) : run.step(images);
    const double value = loss.item<double>();
    const double mean = value / static_cast<double>(images.size(0));
    total += value;
    if (!lines) progress.update(index + 1, "loss " + std::to_string(mean));
    if (lines && index % run.arguments.log_interval == 0) {
      std::printf("Train Epoch: %zu [%lld/%lld (%.0f%%)]\tLoss: %.6f\n", run.epoch(),
                  static_cast<long long>(index * run.arguments.batch_size),
                  static_cast<long long>(count),
                  100.0 * static_cast<double>(index) / static_cast<double>(batches), mean);
    }
    ++index;
  }
  progress.clear();
  return total / static_cast<double>(count);
}

void save_images(const std::string& path, const Tensor& images, std::int64_t columns) {
  tern::train::save_image(images.view({-1, 1, 28, 28}), path,
                          tern::train::GridOptions().nrow(columns));
}

/// Returns the mean loss of the test set. Draws the first images above their reconstructions.
double test(Run& run, auto& loader, std::int64_t count) {
  const tern::NoGradGuard no_grad;
  run.vae->eval();
  double total = 0;
  bool first = true;
  for (const data::Example<>& batch : loader) {
    const Tensor images = batch.data.to(run.device).view({-1, 784});
    const auto [reconstruction, mu, logvar] = run.vae->forward(images);
    total += loss_of(reconstruction, images, mu, logvar).item<double>();
    if (first) {
      const std::int64_t shown = std::min<std::int64_t>(8, images.size(0));
      save_images(run.file("reconstruction_" + std::to_string(run.epoch()) + ".png"),
                  tern::cat({images.slice(0, 0, shown), reconstruction.slice(0, 0, shown)}), shown);
    }
    first = false;
  }
  return total / static_cast<double>(count);
}

/// Draws the digits decoded from 64 random codes.
void sample(Run& run) {
  const tern::NoGradGuard no_grad;
  const Tensor codes = tern::randn({64, 20}).to(run.device);
  save_images(run.file("sample_" + std::to_string(run.epoch()) + ".png"), run.vae->decode(codes),
              8);
}

/// Prints how long the epochs that remain will take.
void print_time_left(const Run& run, std::chrono::steady_clock::time_point start,
                     std::size_t first_epoch) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const std::size_t remaining = run.arguments.epochs + 1 - run.epoch();
  const auto seconds = std::llround(spent.count() * static_cast<double>(remaining) /
                                    static_cast<double>(run.epoch() - first_epoch));
  if (remaining > 0) std::printf("%lld:%02lld left\n", seconds / 60, seconds % 60);
}

void run_vae(const Arguments& arguments) {
  if (arguments.threads > 0) tern::set_num_threads(arguments.threads);
  std::printf("Using device: %s\n", arguments.device.str().c_str());
  const auto train_digits = support::load_digits(arguments.data, /*is_training=*/true);
  const auto test_digits = support::load_digits(arguments.data, /*is_training=*/false);

  tern::manual_seed(arguments.seed);
  Run run(arguments);
  // These samplers draw the same numbers as Python's loaders, so the same seed gives the same run.
  using namespace data::samplers;
  const auto stack = data::transforms::Stack<>();
  const auto batch_size = static_cast<std::size_t>(arguments.batch_size);
  auto train_loader =
      data::make_data_loader<PythonRandomSampler>(map(train_digits, stack), batch_size);
  auto test_loader =
      data::make_data_loader<PythonSequentialSampler>(map(test_digits, stack), batch_size);
  if (!arguments.resume.empty()) load_checkpoint(run, arguments.resume);
  std::filesystem::create_directories(arguments.out);
  tern::train::CsvLog log = open_losses(run);

  const std::size_t first_epoch = run.epoch();
  std::printf("Training may take minutes: epochs %zu to %zu\n", first_epoch, arguments.epochs);
  const auto start = std::chrono::steady_clock::now();
  while (run.epoch() <= arguments.epochs) {
    const double train_loss = train(run, *train_loader, train_digits.data().size(0));
    std::printf("====> Epoch: %zu Average loss: %.4f\n", run.epoch(), train_loss);
    const double test_loss = test(run, *test_loader, test_digits.data().size(0));
    std::printf("====> Test set loss: %.4f\n", test_loss);
    std::fflush(stdout);
    sample(run);
    run.losses.push_back({static_cast<double>(run.epoch()), train_loss, test_loss});
    log_losses(log, run.losses.back());
    draw_losses(run);
    save_checkpoint(run);
    print_time_left(run, start, first_epoch);
  }
  tern::save(run.vae, arguments.save.empty() ? run.file("vae.json") : arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Trains a variational autoencoder on digits.", "vae");
  const support::Check positive = support::positive(), count = support::whole(1);
  line.option("--epochs", arguments.epochs, "10 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "128 unless said").check(count);
  line.option("--lr", arguments.lr, "learning rate, 1e-3 unless said").check(positive);
  line.option("--seed", arguments.seed, "seed of all random numbers, 1 unless said");
  line.device(arguments.device);
  line.flag("--graph", arguments.graph, "on a GPU, replay the training step as a CUDA graph");
  line.option("--amp", arguments.amp, "bfloat16 or float16: automatic mixed precision")
      .check(support::one_of({"bfloat16", "float16"}));
  line.option("--data", arguments.data, "folder with MNIST's four files; drawn digits without");
  line.option("--out", arguments.out, "folder for all results, results unless said")
      .check(support::output_folder());
  line.option("--save", arguments.save, "file for the weights; vae.json in --out without")
      .check(support::state_file());
  line.option("--resume", arguments.resume, "checkpoint of a run to go on with");
  line.option("--threads", arguments.threads, "threads of the cpu; one per core without")
      .check(support::thread_count(1));
  line.option("--log-interval", arguments.log_interval, "batches between lines, 10 unless said")
      .check(count);
  line.flag("--no-progress", arguments.no_progress, "lines instead of a progress bar");
  return line.run(argc, argv, [&] { run_vae(arguments); });
}
