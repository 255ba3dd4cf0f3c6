// Learns to name what small pictures show with the residual network of 20 layers that He et al.
// (2015) trained on CIFAR-10.
//
//   cifar_resnet                draws coloured shapes: 5,000 for training, 1,000 for testing
//   cifar_resnet --data DIR     reads CIFAR-10's binary files
//
//   [--epochs 8] [--batch-size 32] [--lr 0.05] [--seed 1] [--workers 1] [--device cpu|cuda|cuda:N]
//   [--disable-cuda] [--save FILE] [--show FILE]
//
// --show writes test pictures with their predicted classes as SVG, first the wrong ones, in red.
// Expected with the defaults: an accuracy above 0.97 on drawn shapes, after some minutes.

#include <cstdio>
#include <string>

#include <tern/train/train.h>

#include "support/command_line.h"
#include "support/shapes.h"

namespace {

namespace data = tern::data;
namespace nn = tern::nn;
namespace optim = tern::optim;
namespace transforms = data::transforms;
using tern::Tensor;

nn::Conv2d conv3x3(std::int64_t in, std::int64_t out, std::int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, 3).stride(stride).padding(1).bias(false));
}

struct BlockImpl : nn::Module {
  BlockImpl(std::int64_t in, std::int64_t out, std::int64_t stride) {
    conv1 = register_module("conv1", conv3x3(in, out, stride));
    bn1 = register_module("bn1", nn::BatchNorm2d(out));
    conv2 = register_module("conv2", conv3x3(out, out));
    bn2 = register_module("bn2", nn::BatchNorm2d(out));
    if (stride == 1 && in == out) return;
    downsample = register_module(
        "downsample",
        nn::Sequential{nn::Conv2d(nn::Conv2dOptions(in, out, 1).stride(stride).bias(false)),
                       nn::BatchNorm2d(out)});
  }

  Tensor forward(const Tensor& x) {
    const Tensor out = bn2(conv2(tern::relu(bn1(conv1(x)))));
    return tern::relu(out + (downsample ? downsample(x) : x));
  }

  nn::Conv2d conv1{nullptr}, conv2{nullptr};
  nn::BatchNorm2d bn1{nullptr}, bn2{nullptr};
  nn::Sequential downsample{nullptr};
};
TERN_MODULE(Block);

struct NetImpl : nn::Module {
  explicit NetImpl(std::int64_t classes, int blocks = 3) {
    conv1 = register_module("conv1", conv3x3(3, 16));
    bn1 = register_module("bn1", nn::BatchNorm2d(16));
    std::int64_t in = 16;
    for (const std::int64_t out : {16, 32, 64}) {
      for (int i = 0; i < blocks; ++i, in = out)
        layers->push_back(Block(in, out, in < out ? 2 : 1));
    }
    register_module("layers", layers);
    fc = register_module("fc", nn::Linear(64, classes));
  }

  /// Returns scores [N, classes] of images [N, 3, 32, 32].
  Tensor forward(const Tensor& x) { return fc(layers(tern::relu(bn1(conv1(x)))).mean({2, 3})); }

  nn::Conv2d conv1{nullptr};
  nn::BatchNorm2d bn1{nullptr};
  nn::Sequential layers;
  nn::Linear fc{nullptr};
};
TERN_MODULE(Net);

struct Arguments {
  int epochs = 8;
  std::int64_t batch_size = 32;
  double lr = 0.05;
  std::uint64_t seed = 1;
  int workers = 1;
  std::string data, save, show;
  tern::Device device = tern::kCPU;
};

/// Trains for one epoch; returns the mean loss.
double train(Net& net, auto& loader, optim::Optimizer& optimizer, optim::LRScheduler& schedule,
             const tern::Device& device, tern::train::ProgressBar& progress) {
  net->train();
  double total = 0;
  std::int64_t count = 0;
  for (const data::Example<>& batch : loader) {
    optimizer.zero_grad();
    const Tensor scores = net(batch.data.to(device));
    const Tensor loss = nn::functional::cross_entropy(scores, batch.target.to(device));
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

/// Returns the class that the network gives each picture, int64 [N] on the CPU.
Tensor test(Net& net, auto& loader, const tern::Device& device) {
  const tern::NoGradGuard no_grad;
  net->eval();
  std::vector<Tensor> classes;
  for (const data::Example<>& batch : loader) {
    classes.push_back(net(batch.data.to(device)).argmax(1).cpu());
  }
  return tern::cat(classes);
}

void run(const Arguments& arguments) {
  const auto pictures = support::load_pictures(arguments.data, /*is_training=*/true);
  const auto test_pictures = support::load_pictures(arguments.data, /*is_training=*/false);
  tern::manual_seed(arguments.seed);
  const transforms::Compose plain(
      {transforms::ConvertImageDtype(),
       transforms::Normalize<>({0.4914, 0.4822, 0.4465}, {0.247, 0.2435, 0.2616})});
  const transforms::Compose augment(
      {transforms::RandomCrop(32, 4), transforms::RandomHorizontalFlip(), plain});
  const auto options = data::DataLoaderOptions(static_cast<std::size_t>(arguments.batch_size))
                           .workers(static_cast<std::size_t>(arguments.workers));
  auto loader = data::make_data_loader(map(map(pictures, augment), transforms::Stack<>()), options);
  auto test_loader = data::make_data_loader<data::samplers::SequentialSampler>(
      map(map(test_pictures, plain), transforms::Stack<>()), options);

  Net net(10);
  net->to(arguments.device);
  optim::SGD sgd(net->parameters(),
                 optim::SGDOptions(arguments.lr).momentum(0.9).nesterov(true).weight_decay(5e-4));
  const std::int64_t steps = (pictures.data().size(0) - 1) / arguments.batch_size + 1;
  auto schedule = optim::warmup_cosine(sgd, steps / 2, arguments.epochs * steps);
  std::printf("training may take minutes: %d epochs of %lld steps\n", arguments.epochs,
              static_cast<long long>(steps));
  tern::train::ProgressBar progress(stdout, "training", arguments.epochs * steps);
  Tensor predicted;
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    const double loss = train(net, *loader, sgd, schedule, arguments.device, progress);
    predicted = test(net, *test_loader, arguments.device);
    std::printf("epoch %d: loss %.4f, accuracy %.4f\n", epoch, loss,
                predicted.eq(test_pictures.targets()).to(tern::kFloat).mean().item<double>());
    std::fflush(stdout);
  }
  if (!arguments.show.empty()) {
    const std::vector<std::string> cifar = {"airplane", "automobile", "bird",  "cat",  "deer",
                                            "dog",      "frog",       "horse", "ship", "truck"};
    tern::train::save_predictions(
        test_pictures.data(), predicted, test_pictures.targets(), arguments.show,
        tern::train::ClassPictureOptions()
            .labels(arguments.data.empty() ? support::shape_names() : cifar)
            .title("predicted class (right class)"));
  }
  if (!arguments.save.empty()) tern::save(net, arguments.save);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  support::CommandLine line("Learns to name what small pictures show.", "cifar_resnet");
  const support::Check positive = support::positive(), count = support::whole(1);
  line.option("--epochs", arguments.epochs, "8 unless said").check(count);
  line.option("--batch-size", arguments.batch_size, "32 unless said").check(count);
  line.option("--lr", arguments.lr, "largest learning rate, 0.05 unless said").check(positive);
  line.option("--seed", arguments.seed, "1 unless said");
  line.option("--workers", arguments.workers, "threads that prepare batches, 1 unless said")
      .check(support::thread_count(0));
  line.option("--data", arguments.data,
              "folder with CIFAR-10's binary files; drawn shapes without");
  line.device(arguments.device);
  line.option("--save", arguments.save, "file for the weights").check(support::state_file());
  line.option("--show", arguments.show, "SVG with test pictures, wrong ones in red")
      .check(support::output_file({".svg"}));
  return line.run(argc, argv, [&] { run(arguments); });
}
