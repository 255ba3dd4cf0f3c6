#include <torch/torch.h>

#include <cstdio>

#include "bench.h"
#include "nets.h"
#include "peak.h"
#include "queued.h"

// Networks for images: inference of one image, and training steps, the latter without an optimizer
// but for LeNet. With the argument "peak" after the number of threads: the memory that training
// steps of ResNet-18 need beyond the program's start, in kB. With "cuda": training steps on a GPU,
// in float32, beside those of models.py; with a number behind it, LeNet's alone with so many
// images.

namespace {

template <class Net>
void infer(const char* name) {
  Net net;
  net->eval();
  const torch::NoGradGuard no_grad;
  const auto image = torch::randn({1, 3, 224, 224});
  bench::report(name, [&] { net->forward(image); });
}

struct LeNetTraining {
  LeNetTraining(std::int64_t images, const torch::Device& device)
      : digits(torch::rand({images, 1, 28, 28}, device)),
        classes(torch::randint(10, {images}, torch::kLong).to(device)) {
    net->to(device);
  }
  void step() {
    sgd.zero_grad();
    torch::nn::functional::cross_entropy(net->forward(digits), classes).backward();
    sgd.step();
  }

  bench::LeNet net;
  torch::optim::SGD sgd{net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9)};
  torch::Tensor digits, classes;
};

void step(bench::ResNet& net, const torch::Tensor& images, const torch::Tensor& labels) {
  net->zero_grad();
  torch::nn::functional::cross_entropy(net->forward(images), labels).backward();
}

int train_on_gpu(const torch::Device& device, std::int64_t few) {
  const auto effort = few > 0 ? bench::kBriefly : bench::kOnGpu;
  LeNetTraining training(few > 0 ? few : 64, device);
  bench::report_queued(
      "LeNet, training step, batch 64", [&] { training.step(); }, effort);
  if (few > 0) return 0;
  bench::ResNet net;
  net->to(device);
  for (const std::int64_t batch : {16, 128}) {
    const auto pictures = torch::randn({batch, 3, 224, 224}, device);
    const auto labels = torch::randint(1000, {batch}, torch::kLong).to(device);
    bench::report_queued(
        "ResNet-18, forward + backward, batch " + std::to_string(batch),
        [&] { step(net, pictures, labels); }, effort);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS [peak|cuda [IMAGES]]]", 3);
  torch::set_num_threads(arguments.threads());
  torch::manual_seed(0);
  const std::int64_t few = arguments.number(3, 0, 2, 64);
  if (arguments.text(2) == "cuda") return bench::has_gpu() ? train_on_gpu(torch::kCUDA, few) : 1;
  const auto images = torch::randn({16, 3, 224, 224});
  const auto labels = torch::randint(1000, {16}, torch::kLong);
  if (arguments.is(2, "peak")) {
    const long start = bench::peak();
    bench::ResNet net;
    for (int i = 0; i < 3; ++i) step(net, images, labels);
    std::printf("%ld\n", bench::peak() - start);
    return 0;
  }
  infer<bench::ResNet>("ResNet-18, inference, batch 1");
  infer<bench::MobileNet>("MobileNetV2, inference, batch 1");
  {
    LeNetTraining training(64, torch::kCPU);
    bench::report("LeNet, training step, batch 64", [&] { training.step(); });
  }
  bench::ResNet net;
  bench::report("ResNet-18, forward + backward, batch 16", [&] { step(net, images, labels); });
}
