#include <torch/torch.h>

#include <cstdio>

#include "bench.h"
#include "nets.h"
#include "peak.h"

// Networks for images: inference of one image, and training steps, the latter without an optimizer
// but for LeNet. With the argument "peak" after the number of threads: the memory that training
// steps of ResNet-18 need beyond the program's start, in kB.

namespace {

template <class Net>
void infer(const char* name) {
  Net net;
  net->eval();
  const torch::NoGradGuard no_grad;
  const auto image = torch::randn({1, 3, 224, 224});
  bench::report(name, [&] { net->forward(image); });
}

void step(bench::ResNet& net, const torch::Tensor& images, const torch::Tensor& labels) {
  net->zero_grad();
  torch::nn::functional::cross_entropy(net->forward(images), labels).backward();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[THREADS [peak]]", 2);
  torch::set_num_threads(arguments.threads());
  torch::manual_seed(0);
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
    bench::LeNet net;
    torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
    const auto digits = torch::rand({64, 1, 28, 28});
    const auto classes = torch::randint(10, {64}, torch::kLong);
    bench::report("LeNet, training step, batch 64", [&] {
      sgd.zero_grad();
      torch::nn::functional::cross_entropy(net->forward(digits), classes).backward();
      sgd.step();
    });
  }
  bench::ResNet net;
  bench::report("ResNet-18, forward + backward, batch 16", [&] { step(net, images, labels); });
}
