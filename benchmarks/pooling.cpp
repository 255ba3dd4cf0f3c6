#include <torch/torch.h>

#include <string>

#include "bench.h"

// Pooling and resampling of images, forward, and forward and backward.

namespace {

template <class Op>
void report(const char* name, const torch::Tensor& images, const Op& op) {
  auto input = images.clone().requires_grad_(true);
  const auto gradient = torch::randn_like(op(input));
  bench::report((std::string(name) + ", forward").c_str(), [&] {
    const torch::NoGradGuard no_grad;
    op(input);
  });
  bench::report((std::string(name) + ", forward + backward").c_str(), [&] {
    input.mutable_grad().reset();
    op(input).backward(gradient);
  });
}

}  // namespace

int main(int argc, char** argv) {
  namespace F = torch::nn::functional;
  torch::set_num_threads(bench::threads(argc, argv));
  const auto images = torch::randn({16, 32, 28, 28}), stem = torch::randn({1, 64, 112, 112});
  report("max_pool2d 16x32x28x28, 2x2", images, [](const torch::Tensor& x) {
    return torch::max_pool2d(x, {2, 2});
  });
  report("max_pool2d 1x64x112x112, 3x3 stride 2 padding 1", stem, [](const torch::Tensor& x) {
    return torch::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
  });
  report("avg_pool2d 16x32x28x28, 2x2", images, [](const torch::Tensor& x) {
    return torch::avg_pool2d(x, {2, 2});
  });
  report("avg_pool2d 1x64x112x112, 3x3 stride 1 padding 1", stem, [](const torch::Tensor& x) {
    return torch::avg_pool2d(x, {3, 3}, {1, 1}, {1, 1});
  });
  report("adaptive_avg_pool2d 16x32x28x28 -> 1x1", images, [](const torch::Tensor& x) {
    return torch::adaptive_avg_pool2d(x, {1, 1});
  });
  const auto interpolate = [](const F::InterpolateFuncOptions& options) {
    return [options](const torch::Tensor& x) { return F::interpolate(x, options); };
  };
  const auto twice = F::InterpolateFuncOptions().size(std::vector<std::int64_t>{56, 56});
  report("interpolate nearest 16x32x28x28 -> 56x56", images, interpolate(twice));
  report("interpolate bilinear 16x32x28x28 -> 56x56", images,
         interpolate(F::InterpolateFuncOptions(twice).mode(torch::kBilinear).align_corners(false)));
  report("interpolate bicubic 16x32x28x28 -> 56x56", images,
         interpolate(F::InterpolateFuncOptions(twice).mode(torch::kBicubic).align_corners(false)));
}
