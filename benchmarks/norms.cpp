#include <string>

#include <torch/torch.h>

#include "bench.h"

// Softmax and normalisation, forward and with backward.

namespace {

void report_softmax(std::int64_t rows, std::int64_t columns) {
  const auto x = torch::randn({rows, columns});
  const auto grad = torch::randn({rows, columns});
  const auto leaf = x.clone().requires_grad_();
  for (const std::int64_t dim : {1, 0}) {
    const std::string what =
        std::to_string(rows) + " x " + std::to_string(columns) + ", dim " + std::to_string(dim);
    bench::report(("softmax, " + what).c_str(), [&] { auto y = torch::softmax(x, dim); });
    bench::report(("log_softmax, " + what).c_str(), [&] { auto y = torch::log_softmax(x, dim); });
    bench::report(("softmax and its gradient, " + what).c_str(), [&] {
      auto dx = torch::autograd::grad({torch::softmax(leaf, dim)}, {leaf}, {grad});
    });
    bench::report(("log_softmax and its gradient, " + what).c_str(), [&] {
      auto dx = torch::autograd::grad({torch::log_softmax(leaf, dim)}, {leaf}, {grad});
    });
  }
}

void report_layer_norm(const std::string& what, const std::vector<std::int64_t>& sizes) {
  const auto x = torch::randn(sizes), grad = torch::randn(sizes);
  const auto weight = torch::randn({sizes.back()}), bias = torch::randn({sizes.back()});
  const auto leaf = x.clone().requires_grad_();
  const auto leaf_weight = weight.clone().requires_grad_();
  const auto leaf_bias = bias.clone().requires_grad_();
  bench::report(("layer_norm, " + what).c_str(),
                [&] { auto y = torch::layer_norm(x, {sizes.back()}, weight, bias); });
  bench::report(("layer_norm and its gradients, " + what).c_str(), [&] {
    const auto y = torch::layer_norm(leaf, {sizes.back()}, leaf_weight, leaf_bias);
    auto gradients = torch::autograd::grad({y}, {leaf, leaf_weight, leaf_bias}, {grad});
  });
}

void report_batch_norm(std::int64_t rows, std::int64_t channels) {
  torch::nn::BatchNorm1d norm(channels);
  const auto x = torch::randn({rows, channels}), grad = torch::randn({rows, channels});
  const auto leaf = x.clone().requires_grad_();
  const std::string what = std::to_string(rows) + " x " + std::to_string(channels);
  bench::report(("BatchNorm1d and its gradients, " + what).c_str(), [&] {
    auto gradients = torch::autograd::grad({norm(leaf)}, {leaf, norm->weight, norm->bias}, {grad});
  });
  norm->eval();
  const torch::NoGradGuard no_grad;
  bench::report(("BatchNorm1d in evaluation, " + what).c_str(), [&] { auto y = norm(x); });
}

}  // namespace

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  report_softmax(128, 10);
  report_softmax(128, 784);
  report_softmax(1024, 1024);
  report_softmax(64, 4096);
  report_layer_norm("128 x 400", {128, 400});
  report_layer_norm("1024 x 1024", {1024, 1024});
  report_layer_norm("32 x 128 x 768", {32, 128, 768});
  report_batch_norm(128, 400);
  report_batch_norm(1024, 1024);
}
