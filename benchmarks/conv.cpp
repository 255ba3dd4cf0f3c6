#include <torch/torch.h>

#include <string>

#include "bench.h"

// Convolutions of images forward, and forward and backward (the gradients of input, weight and
// bias): one of many channels, depthwise ones, and the distinct layers of ResNet-18.

namespace {

struct ConvLayer {
  const char* name;
  std::int64_t batch, in, size, out, kernel, stride, groups;
};

constexpr ConvLayer kConvLayers[] = {
    {"", 16, 32, 28, 64, 3, 1, 1},           {"depthwise", 16, 96, 28, 96, 3, 1, 96},
    {"depthwise", 16, 96, 28, 96, 3, 2, 96}, {"resnet stem", 1, 3, 224, 64, 7, 2, 1},
    {"resnet", 1, 64, 56, 64, 3, 1, 1},      {"resnet", 1, 64, 56, 128, 3, 2, 1},
    {"resnet", 1, 64, 56, 128, 1, 2, 1},     {"resnet", 1, 128, 28, 128, 3, 1, 1},
    {"resnet", 1, 128, 28, 256, 3, 2, 1},    {"resnet", 1, 128, 28, 256, 1, 2, 1},
    {"resnet", 1, 256, 14, 256, 3, 1, 1},    {"resnet", 1, 256, 14, 512, 3, 2, 1},
    {"resnet", 1, 256, 14, 512, 1, 2, 1},    {"resnet", 1, 512, 7, 512, 3, 1, 1}};

std::string name_of(const ConvLayer& c) {
  const auto text = [](std::int64_t number) { return std::to_string(number); };
  return "conv2d " + std::string(c.name) + (c.name[0] != '\0' ? " " : "") + text(c.batch) + "x" +
         text(c.in) + "x" + text(c.size) + "x" + text(c.size) + " -> " + text(c.out) + ", " +
         text(c.kernel) + "x" + text(c.kernel) + " stride " + text(c.stride);
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  for (const ConvLayer& c : kConvLayers) {
    torch::nn::Conv2d layer(torch::nn::Conv2dOptions(c.in, c.out, c.kernel)
                                .stride(c.stride)
                                .padding(c.kernel / 2)
                                .groups(c.groups));
    auto input = torch::randn({c.batch, c.in, c.size, c.size}).requires_grad_(true);
    const auto gradient = torch::randn_like(layer->forward(input));
    bench::report((name_of(c) + ", forward").c_str(), [&] {
      const torch::NoGradGuard no_grad;
      layer->forward(input);
    });
    bench::report((name_of(c) + ", forward + backward").c_str(), [&] {
      layer->zero_grad();
      input.mutable_grad().reset();
      layer->forward(input).backward(gradient);
    });
  }
}
