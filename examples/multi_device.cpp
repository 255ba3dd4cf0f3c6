// Trains a classifier of spirals on all CUDA devices at once: each gets a part of every batch.
//
//   multi_device [--epochs 60] [--batch-size 128] [--lr 0.01] [--seed 1]
//                [--device cpu|cuda|cuda:N] [--disable-cuda] [--save FILE]
//
// Expected: an accuracy above 0.97 in the last line, for any number of devices. With --device
// cuda:N the program uses one device. Without CUDA it runs on the CPU; TERN_SIMULATE_CUDA=2
// provides two simulated devices.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <tern/tern.h>

#include "support/command_line.h"

namespace {

namespace nn = tern::nn;

constexpr std::int64_t kClasses = 3, kPerClass = 512;

struct Arguments {
  int epochs = 60;
  std::int64_t batch_size = 128;
  double lr = 0.01;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  std::string save;
};

/// Returns points on three arms of a spiral, and the arm of each point.
tern::data::datasets::PairDataset make_spirals() {
  std::vector<tern::Tensor> points, arms;
  for (std::int64_t arm = 0; arm < kClasses; ++arm) {
    const tern::Tensor radius = tern::rand({kPerClass, 1});
    const tern::Tensor angle = radius * 5 + 2 * M_PI / kClasses * static_cast<double>(arm) +
                               0.1 * tern::randn({kPerClass, 1});
    points.push_back(tern::cat({radius * angle.sin(), radius * angle.cos()}, 1));
    arms.push_back(tern::full({kPerClass}, arm));
  }
  return {tern::cat(points), tern::cat(arms)};
}

void run(const Arguments& arguments) {
  tern::manual_seed(arguments.seed);
  nn::Sequential net{nn::Linear(2, 64), nn::ReLU(), nn::Linear(64, 64), nn::ReLU(),
                     nn::Linear(64, kClasses)};
  // The first device holds the parameters. cuda without a number means all devices.
  std::vector<tern::Device> devices = {arguments.device};
  if (arguments.device == tern::kCUDA) {
    devices.clear();
    for (int i = 0; i < tern::cuda::device_count(); ++i) devices.emplace_back(i);
  }
  for (const tern::Device& device : devices) std::printf("on %s\n", device.str().c_str());

  const tern::Device device = devices[0];
  net.to(device);
  nn::DataParallel<nn::Sequential> parallel = nullptr;
  if (device.is_cuda()) parallel = nn::DataParallel(net, devices);
  tern::optim::Adam optimizer(net->parameters(), arguments.lr);
  auto loader = tern::data::make_data_loader(make_spirals().map(tern::data::transforms::Stack<>()),
                                             arguments.batch_size);
  double accuracy = 0;
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    double total = 0;
    tern::Tensor right = tern::zeros({}, device);
    for (auto& batch : *loader) {
      const tern::Tensor arms = batch.target.to(device);
      optimizer.zero_grad();
      const tern::Tensor scores = device.is_cuda() ? parallel(batch.data) : net(batch.data);
      const tern::Tensor loss = nn::functional::cross_entropy(scores, arms);
      loss.backward();
      optimizer.step();
      total += loss.item<double>() * static_cast<double>(arms.size(0));
      right += scores.argmax(1).eq(arms).sum();
    }
    accuracy = right.item<double>() / (kClasses * kPerClass);
    if (epoch % 10 == 0 || epoch == arguments.epochs) {
      std::printf("epoch %d: loss %.4f, accuracy %.3f\n", epoch, total / (kClasses * kPerClass),
                  accuracy);
    }
  }
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Trains a classifier of spirals on all CUDA devices.", "multi_device");
  line.option("--epochs", arguments.epochs, "60 unless said").check(support::whole(1));
  line.option("--batch-size", arguments.batch_size, "128 unless said").check(support::whole(1));
  line.option("--lr", arguments.lr, "learning rate, 0.01 unless said").check(support::positive());
  line.option("--seed", arguments.seed, "1 unless said");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
