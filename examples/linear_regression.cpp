// Fits a line to noisy points: a dataset, a loader, a module, a loss, an optimizer.
//
//   linear_regression [--epochs 3] [--lr 0.03] [--seed 1] [--device cpu|cuda|cuda:N]
//                     [--disable-cuda] [--save FILE]
//
// Expected with the defaults: a mean squared error below 0.0002 in the last epoch, and
//   learned: y = 2.00 a - 3.40 b + 4.20

#include <cstdio>
#include <string>

#include <tern/tern.h>

#include "support/command_line.h"

namespace {

struct Arguments {
  int epochs = 3;
  double lr = 0.03;
  std::uint64_t seed = 1;
  tern::Device device = tern::kCPU;
  std::string save;
};

/// Returns 1000 points of y = 2 a - 3.4 b + 4.2 with a little noise.
tern::data::datasets::PairDataset make_points() {
  const tern::Tensor x = tern::randn({1000, 2});
  const tern::Tensor weight = tern::tensor({{2.0}, {-3.4}});
  return {x, x.matmul(weight) + 4.2 + 0.01 * tern::randn({1000, 1})};
}

void run(const Arguments& arguments) {
  tern::manual_seed(arguments.seed);
  const tern::Device device = arguments.device;
  auto loader =
      tern::data::make_data_loader(make_points().map(tern::data::transforms::Stack<>()), 10);

  auto net = tern::nn::Linear(2, 1).to(device);
  tern::optim::SGD optimizer(net->parameters(), arguments.lr);
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    double total = 0;
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      const tern::Tensor loss = tern::mse_loss(net(batch.data.to(device)), batch.target.to(device));
      loss.backward();
      optimizer.step();
      total += loss.item<double>();
    }
    std::printf("epoch %d: mean squared error %.6f\n", epoch, total / 100);
  }

  const std::vector<float> weight = net->weight.to(tern::kCPU).to_vector<float>();
  std::printf("learned: y = %.2f a %c %.2f b + %.2f\n", weight[0], weight[1] < 0 ? '-' : '+',
              std::abs(weight[1]), net->bias.item<float>());
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Fits a line to noisy points.", "linear_regression");
  line.option("--epochs", arguments.epochs, "3 unless said").check(support::whole(1));
  line.option("--lr", arguments.lr, "learning rate, 0.03 unless said").check(support::positive());
  line.option("--seed", arguments.seed, "1 unless said");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  return line.run(argc, argv, [&] { run(arguments); });
}
