#include <torch/torch.h>

#include "bench.h"

// Single ops, large enough for the kernel to dominate.

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  const torch::NoGradGuard no_grad;
  const auto x = torch::randn({1 << 20}), y = torch::randn({1 << 20});
  const auto image = torch::rand({128, 784}), other = torch::rand({128, 784});
  const auto square = torch::randn({1024, 1024});
  bench::report("add, 1 M elements", [&] { auto z = x + y; });
  bench::report("mul by a number, 1 M", [&] { auto z = x * 2.5; });
  bench::report("exp, 1 M", [&] { auto z = torch::exp(x); });
  bench::report("sigmoid, 128 x 784", [&] { auto z = torch::sigmoid(image); });
  bench::report("relu, 128 x 784", [&] { auto z = torch::relu(image); });
  bench::report("tanh, 128 x 784", [&] { auto z = torch::tanh(image); });
  bench::report("add of a row, 128 x 784", [&] { auto z = image + other[0]; });
  bench::report("compare, 1 M", [&] { auto z = x > y; });
  bench::report("where, 1 M", [&] { auto z = torch::where(x > 0, x, y); });
  bench::report("sum, 1 M", [&] { auto z = x.sum(); });
  bench::report("sum of columns, 128 x 784", [&] { auto z = image.sum(0); });
  bench::report("sum of rows, 128 x 784", [&] { auto z = image.sum(1); });
  bench::report("max of rows, 1024 x 1024", [&] { auto z = square.max(1); });
  bench::report("log_softmax, 1024 x 1024", [&] { auto z = torch::log_softmax(square, 1); });
  bench::report("transposed copy, 1024 x 1024", [&] { auto z = square.t().contiguous(); });
  bench::report("transposed + plain, 1024 x 1024", [&] { auto z = square.t() + square; });
  bench::report("cat, 2 x 128 x 784", [&] { auto z = torch::cat({image, other}); });
  bench::report("to float64, 1 M", [&] { auto z = x.to(torch::kDouble); });
  const auto index = torch::randint(0, 1024, {1024}, torch::kLong);
  bench::report("index_select, 1024 rows", [&] { auto z = square.index_select(0, index); });
  bench::report("rand, 1 M", [&] { auto z = torch::rand({1 << 20}); });
  bench::report("randn, 1 M", [&] { auto z = torch::randn({1 << 20}); });
  auto mask = torch::empty({1 << 20});
  bench::report("bernoulli_, 1 M", [&] { mask.bernoulli_(0.5); });
}
