// Learns to read digits with a convolutional network.
//
//   mnist                draws its own digits: 10,000 for training, 2,000 for testing
//   mnist --data DIR     reads MNIST's four files
//
//   [--epochs 5] [--batch-size 64] [--lr 0.05] [--seed 1] [--device cpu|cuda|cuda:N]
//   [--disable-cuda] [--save FILE]
//
// Expected with the defaults: an accuracy above 0.99, with MNIST and with drawn digits.

#include <cstdio>
#include <string>

#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/digits.h"

namespace {

namespace data = tern::data;
namespace nn = tern::nn;
namespace optim = tern::optim;
namespace F = tern::nn::functional;

struct NetImpl : nn::Module {
  NetImpl() {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv2_drop", conv2_drop);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }

  /// Returns log-probabilities [N, 10] of images [N, 1, 28, 28].
  tern::Tensor forward(tern::Tensor x) {
    x = tern::relu(tern::max_pool2d(conv1(x), 2));
    x = tern::relu(tern::max_pool2d(conv2_drop(conv2(x)), 2));
    x = tern::relu(fc1(x.flatten(1)));
    x = F::dropout(x, F::DropoutFuncOptions().p(0.5).training(is_training()));
    return F::log_softmax(fc2(x), 1);
  }

  nn::Conv2d conv1{nn::Conv2dOptions(1, 16, 5)};
  nn::Conv2d conv2{nn::Conv2dOptions(16, 32, 5)};
  nn::Dropout2d conv2_drop{0.1};
  nn::Linear fc1{512, 128}, fc2{128, 10};
};
TERN_MODULE(Net);

struct Arguments {
  int epochs = 5;
  std::int64_t batch_size = 64;
  double lr = 0.05;
  std::uint64_t seed = 1;
  std::string data;
  tern::Device device = tern::kCPU;
  std::string save;
};

/// Trains for one epoch; returns the mean loss.
double train(Net& net, auto& loader, optim::Optimizer& optimizer, optim::LRScheduler& schedule,
             const tern::Device& device, tern::train::ProgressBar& progress) {
  net->train();
  double total = 0;
  std::int64_t count = 0;
  for (const data::Example<>& batch : loader) {
    optimizer.zero_grad();
    const tern::Tensor output = net(batch.data.to(device));
    const tern::Tensor loss = F::nll_loss(output, batch.target.to(device));
    loss.backward();
    optimizer.step();
    schedule.step();
    total += loss.item<double>() * static_cast<double>(batch.target.numel());
    count += batch.target.numel();
    progress.advance();
  }
  progress.clear();
  return total / static_cast<double>(count);
}

/// Prints the mean loss and the share of the digits that the network reads correctly.
void test(Net& net, auto& loader, const tern::Device& device) {
  const tern::NoGradGuard no_grad;
  net->eval();
  double total = 0;
  std::int64_t right = 0, count = 0;
  for (const data::Example<>& batch : loader) {
    const tern::Tensor output = net(batch.data.to(device)), target = batch.target.to(device);
    total += F::nll_loss(output, target, F::NLLLossFuncOptions().reduction(tern::kSum))
                 .template item<double>();
    right += output.argmax(1).eq(target).sum().template item<std::int64_t>();
    count += target.numel();
  }
  const auto n = static_cast<double>(count);
  std::printf("test loss %.4f, accuracy %.4f\n", total / n, static_cast<double>(right) / n);
}

void run(const Arguments& arguments) {
  const auto train_digits = support::load_digits(arguments.data, /*is_training=*/true);
  const auto test_digits = support::load_digits(arguments.data, /*is_training=*/false);
  tern::manual_seed(arguments.seed);
  const auto batch_size = static_cast<std::size_t>(arguments.batch_size);
  const auto stack = data::transforms::Stack<>();
  auto loader = data::make_data_loader(map(train_digits, stack), batch_size);
  auto test_loader =
      data::make_data_loader<data::samplers::SequentialSampler>(map(test_digits, stack), 1000);

  Net net;
  net->to(arguments.device);
  optim::SGD sgd(net->parameters(),
                 optim::SGDOptions(arguments.lr).momentum(0.9).weight_decay(1e-4));
  const std::int64_t steps_per_epoch = (train_digits.data().size(0) - 1) / arguments.batch_size + 1;
  auto schedule =
      optim::warmup_cosine(sgd, steps_per_epoch / 2, arguments.epochs * steps_per_epoch);
  std::printf("training may take minutes: %d epochs of %lld steps\n", arguments.epochs,
              static_cast<long long>(steps_per_epoch));
  tern::train::ProgressBar progress(stdout, "training", arguments.epochs * steps_per_epoch);
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    std::printf("epoch %d: loss %.4f, ", epoch,
                train(net, *loader, sgd, schedule, arguments.device, progress));
    test(net, *test_loader, arguments.device);
    std::fflush(stdout);
  }
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Learns to read digits.", "mnist");
  const support::Check positive = support::positive(), count = support::whole(1);
  line.option("--epochs", arguments.epochs, "5 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "64 unless said").check(count);
  line.option("--lr", arguments.lr, "largest learning rate, 0.05 unless said").check(positive);
  line.option("--seed", arguments.seed, "1 unless said");
  line.option("--data", arguments.data, "folder with MNIST's four files; drawn digits without");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
