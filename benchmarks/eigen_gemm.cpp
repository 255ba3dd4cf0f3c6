#include <torch/torch.h>

#include <Eigen/Core>
#include <string>

#include "bench.h"

// Matrix products of layers by tern and by Eigen's product, compiled for this machine, each on one
// thread: two lines per shape, (rows, inner, columns).

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void measure(int m, int k, int n) {
  const auto a = torch::randn({m, k}), b = torch::randn({k, n});
  const std::string shape =
      std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
  bench::report(("tern, " + shape).c_str(), [&] { auto c = a.mm(b); });
  const Eigen::Map<const Matrix> left(a.data_ptr<float>(), m, k), right(b.data_ptr<float>(), k, n);
  Matrix product(m, n);
  bench::report(("Eigen, " + shape).c_str(), [&] { product.noalias() = left * right; });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments none(argc, argv, "", 0);
  torch::set_num_threads(1);
  const torch::NoGradGuard no_grad;
  measure(128, 784, 400);
  measure(128, 400, 784);
  measure(128, 400, 20);
  measure(784, 128, 400);
  measure(512, 512, 512);
  measure(1024, 1024, 1024);
}
