#include <torch/torch.h>

#include "bench.h"

// The overhead of an op: tensors so small that the time in the kernel does not count.

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  const auto a = torch::randn({4}), b = torch::randn({4});
  const auto leaf = torch::randn({4}).requires_grad_(true);
  const auto matrix = torch::randn({4, 4});
  bench::report("add of 4 elements", [&] { auto c = a + b; });
  bench::report("add of 4 elements, recorded", [&] { auto c = leaf + b; });
  bench::report("add of a number", [&] { auto c = a + 1.0; });
  bench::report("matrix product 4 x 4", [&] { auto c = matrix.mm(matrix); });
  bench::report("sum of 4 elements", [&] { auto c = a.sum(); });
  bench::report("transposed view", [&] { auto c = matrix.t(); });
  constexpr int kNodes = 1000;
  const auto chain = [&] {
    auto x = leaf;
    for (int i = 0; i < kNodes; ++i) x = x + b;
    return x.sum();
  };
  torch::Tensor sum;
  bench::report_prepared(
      "backward per node",
      [&] {
        leaf.mutable_grad().reset();
        sum = chain();
      },
      [&] { sum.backward(); }, kNodes);
}
