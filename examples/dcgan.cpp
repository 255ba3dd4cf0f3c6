// Learns to draw digits: a generator makes images of random numbers, a discriminator learns to tell
// them from real ones, and the generator learns to deceive it (Radford et al., 2015).
//
//   dcgan                draws the digits to learn from: 10,000
//   dcgan --data DIR     reads MNIST's files
//
//   [--epochs 10] [--batch-size 64] [--lr 0.0002] [--seed 1] [--device cpu|cuda|cuda:N]
//   [--disable-cuda] [--out DIR] [--save FILE]
//
// Expected: after each epoch DIR/epoch-N.png with 64 new digits, of the same random numbers each
// time.

#include <cstdio>
#include <filesystem>
#include <string>

#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/digits.h"

namespace {

namespace data = tern::data;
namespace nn = tern::nn;
namespace optim = tern::optim;
using tern::Tensor;

constexpr std::int64_t kNoiseSize = 100;

nn::ConvTranspose2d up(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding) {
  return nn::ConvTranspose2d(
      nn::ConvTranspose2dOptions(in, out, kernel).stride(stride).padding(padding).bias(false));
}
nn::Conv2d down(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                std::int64_t padding) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding).bias(false));
}
nn::LeakyReLU leaky() { return nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)); }

/// Maps noise [N, 100, 1, 1] to images [N, 1, 28, 28] from -1 to 1.
nn::Sequential make_generator() {
  return nn::Sequential{up(kNoiseSize, 128, 4, 1, 0),
                        nn::BatchNorm2d(128),
                        nn::ReLU(),
                        up(128, 64, 3, 2, 1),
                        nn::BatchNorm2d(64),
                        nn::ReLU(),
                        up(64, 32, 4, 2, 1),
                        nn::BatchNorm2d(32),
                        nn::ReLU(),
                        up(32, 1, 4, 2, 1),
                        nn::Tanh()};
}

/// Maps images to scores [N, 1, 1, 1]: above 0 for real ones.
nn::Sequential make_discriminator() {
  return nn::Sequential{down(1, 32, 4, 2, 1), leaky(), down(32, 64, 4, 2, 1),
                        nn::BatchNorm2d(64),  leaky(), down(64, 128, 4, 2, 1),
                        nn::BatchNorm2d(128), leaky(), down(128, 1, 3, 1, 0)};
}

/// Draws the weights anew as the paper does.
void draw_weights(nn::Module& module) {
  if (auto* conv = module.as<nn::Conv2d>()) nn::init::normal_(conv->weight, 0, 0.02);
  if (auto* conv = module.as<nn::ConvTranspose2d>()) nn::init::normal_(conv->weight, 0, 0.02);
  if (auto* norm = module.as<nn::BatchNorm2d>()) nn::init::normal_(norm->weight, 1, 0.02);
}

/// Returns the loss of scores that should say `is_real` for all images.
Tensor loss_of(const Tensor& scores, bool is_real) {
  return tern::binary_cross_entropy_with_logits(
      scores, is_real ? tern::ones_like(scores) : tern::zeros_like(scores));
}

struct Arguments {
  int epochs = 10;
  std::int64_t batch_size = 64;
  double lr = 2e-4;
  std::uint64_t seed = 1;
  std::string data, save, out = "out/dcgan";
  tern::Device device = tern::kCPU;
};

void run(const Arguments& arguments) {
  const auto digits = support::load_digits(arguments.data, /*is_training=*/true);
  const std::int64_t steps = digits.data().size(0) / arguments.batch_size;
  TERN_CHECK(steps > 0, tern::Error, "--batch-size ", arguments.batch_size, " is more than the ",
             digits.data().size(0), " digits");
  tern::manual_seed(arguments.seed);
  auto loader = data::make_data_loader(
      map(digits, data::transforms::Stack<>()),
      data::DataLoaderOptions(static_cast<std::size_t>(arguments.batch_size)).drop_last(true));
  const auto noise = [&](std::int64_t count) {
    return tern::randn({count, kNoiseSize, 1, 1}).to(arguments.device);
  };

  nn::Sequential generator = make_generator(), discriminator = make_discriminator();
  generator->apply(draw_weights);
  discriminator->apply(draw_weights);
  generator->to(arguments.device);
  discriminator->to(arguments.device);
  const auto options = optim::AdamOptions(arguments.lr).betas({0.5, 0.999});
  optim::Adam generator_adam(generator->parameters(), options);
  optim::Adam discriminator_adam(discriminator->parameters(), options);

  std::filesystem::create_directories(arguments.out);
  std::printf("training may take minutes: %d epochs of %lld steps\n", arguments.epochs,
              static_cast<long long>(steps));
  tern::train::ProgressBar progress(stdout, "training", arguments.epochs * steps);
  const Tensor shown = noise(64);
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    double discriminator_total = 0, generator_total = 0;
    for (const data::Example<>& batch : *loader) {
      const Tensor real = batch.data.to(arguments.device) * 2 - 1;
      const Tensor made = generator(noise(real.size(0)));

      discriminator_adam.zero_grad();
      const Tensor discriminator_loss =
          loss_of(discriminator(real), true) + loss_of(discriminator(made.detach()), false);
      discriminator_loss.backward();
      discriminator_adam.step();

      generator_adam.zero_grad();
      const Tensor generator_loss = loss_of(discriminator(made), true);
      generator_loss.backward();
      generator_adam.step();

      discriminator_total += discriminator_loss.item<double>();
      generator_total += generator_loss.item<double>();
      progress.advance();
    }
    progress.clear();
    const auto count = static_cast<double>(steps);
    std::printf("epoch %d: loss of the discriminator %.4f, of the generator %.4f\n", epoch,
                discriminator_total / count, generator_total / count);
    std::fflush(stdout);
    const tern::NoGradGuard no_grad;
    generator->eval();
    tern::train::save_image((generator(shown) + 1) / 2,
                            arguments.out + "/epoch-" + std::to_string(epoch) + ".png");
    generator->train();
  }
  if (!arguments.save.empty()) tern::save(generator, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Learns to draw digits.", "dcgan");
  const support::Check positive = support::positive(), count = support::whole(1);
  line.option("--epochs", arguments.epochs, "10 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "64 unless said").check(count);
  line.option("--lr", arguments.lr, "learning rate, 0.0002 unless said").check(positive);
  line.option("--seed", arguments.seed, "1 unless said");
  line.option("--data", arguments.data, "folder with MNIST's four files; drawn digits without");
  line.device(arguments.device);
  line.option("--out", arguments.out, "folder for the pictures, out/dcgan unless said")
      .check(support::output_folder());
  line.option("--save", arguments.save, "file for the generator").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
