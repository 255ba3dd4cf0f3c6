// Learns to read digits with a multilayer perceptron, by a loop written out or by train::fit().
//
//   mnist_mlp                draws its own digits: 10,000 for training, 2,000 for testing
//   mnist_mlp --data DIR     reads MNIST's four files
//   mnist_mlp --fit          trains with train::fit() instead of the loop: the same numbers
//
//   [--epochs 5] [--batch-size 64] [--lr 0.003] [--seed 1] [--device cpu|cuda|cuda:N]
//   [--disable-cuda] [--save FILE]
//
// Expected with the defaults: an accuracy above 0.98, with MNIST and with drawn digits.

#include <cstdio>
#include <iostream>
#include <string>

#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/digits.h"

namespace {

namespace data = tern::data;
namespace nn = tern::nn;
namespace optim = tern::optim;
namespace train = tern::train;

struct Arguments {
  int epochs = 5;
  std::int64_t batch_size = 64;
  double lr = 3e-3;
  std::uint64_t seed = 1;
  std::string data;
  bool fit = false;
  tern::Device device = tern::kCPU;
  std::string save;
};

nn::Sequential make_net(const tern::Device& device) {
  nn::Sequential net{nn::Flatten(),    nn::Linear(784, 512), nn::ReLU(),
                     nn::Dropout(0.2), nn::Linear(512, 256), nn::ReLU(),
                     nn::Dropout(0.2), nn::Linear(256, 10)};
  return net.to(device);
}

/// Returns the share of the digits that the network reads correctly.
double accuracy(nn::Sequential& net, auto& loader, const tern::Device& device) {
  const tern::NoGradGuard no_grad;
  net->eval();
  std::int64_t right = 0, count = 0;
  for (const data::Example<>& batch : loader) {
    const tern::Tensor classes = net->forward(batch.data.to(device)).argmax(1);
    right += classes.eq(batch.target.to(device)).sum().item<std::int64_t>();
    count += batch.target.numel();
  }
  net->train();
  return static_cast<double>(right) / static_cast<double>(count);
}

void run(const Arguments& arguments) {
  const auto train_digits = support::load_digits(arguments.data, /*is_training=*/true);
  const auto test_digits = support::load_digits(arguments.data, /*is_training=*/false);
  tern::manual_seed(arguments.seed);
  const auto batch_size = static_cast<std::size_t>(arguments.batch_size);
  const auto stack = data::transforms::Stack<>();
  auto loader = data::make_data_loader(map(train_digits, stack), batch_size);
  auto test_loader = data::make_data_loader<data::samplers::SequentialSampler>(
      map(test_digits, stack), batch_size);

  nn::Sequential net = make_net(arguments.device);
  optim::AdamW adam(net->parameters(), optim::AdamWOptions(arguments.lr).weight_decay(0.01));
  const std::int64_t steps_per_epoch = (train_digits.data().size(0) - 1) / arguments.batch_size + 1;
  // The learning rate rises for an epoch and falls along a cosine.
  auto schedule = optim::warmup_cosine(adam, arguments.epochs > 1 ? steps_per_epoch : 0,
                                       arguments.epochs * steps_per_epoch);

  if (arguments.fit) {
    const train::History history = train::fit(
        net, loader, adam, nn::CrossEntropyLoss(),
        {.epochs = arguments.epochs,
         .validation = test_loader,
         .metrics = {{"accuracy", tern::metrics::Accuracy()}},
         .callbacks = {train::Schedule(schedule, train::Every::kStep), train::Print(std::cout)}});
    std::printf("accuracy %.4f\n", history.back()["val_accuracy"]);
  } else {
    for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
      double total = 0;
      for (const auto& batch : *loader) {
        adam.zero_grad();
        const tern::Tensor output = net->forward(batch.data.to(arguments.device));
        const tern::Tensor loss =
            nn::functional::cross_entropy(output, batch.target.to(arguments.device));
        loss.backward();
        adam.step();
        schedule.step();
        total += loss.item<double>() * static_cast<double>(batch.target.numel());
      }
      std::printf("epoch %d: loss %.4f, accuracy %.4f\n", epoch,
                  total / static_cast<double>(train_digits.data().size(0)),
                  accuracy(net, *test_loader, arguments.device));
    }
  }
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Learns to read digits.", "mnist_mlp");
  const support::Check positive = support::positive(), count = support::whole(1);
  line.option("--epochs", arguments.epochs, "5 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "64 unless said").check(count);
  line.option("--lr", arguments.lr, "largest learning rate, 0.003 unless said").check(positive);
  line.option("--seed", arguments.seed, "1 unless said");
  line.option("--data", arguments.data, "folder with MNIST's four files; drawn digits without");
  line.flag("--fit", arguments.fit, "train with train::fit()");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
