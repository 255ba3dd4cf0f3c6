#include <torch/torch.h>

#include <string>

#include "bench.h"

// Matrix products at the shapes of real layers, (rows, inner, columns), with the layouts of a
// linear layer: forward (x W^T), for its input's gradient (g W) and for its weight's (g^T x).

int main(int argc, char** argv) {
  torch::set_num_threads(bench::threads(argc, argv));
  const torch::NoGradGuard no_grad;
  struct Shape {
    const char* layout;
    int m, k, n;
  };
  const Shape shapes[] = {
      {"x W^T", 128, 784, 400}, {"x W^T", 128, 400, 784},  {"x W^T", 128, 400, 20},
      {"x W^T", 128, 20, 400},  {"g W", 128, 784, 400},    {"g W", 128, 400, 784},
      {"g^T x", 784, 128, 400}, {"g^T x", 400, 128, 784},  {"g^T x", 20, 128, 400},
      {"g W", 512, 512, 512},   {"g W", 1024, 1024, 1024}, {"x W^T", 1, 784, 400}};
  for (const Shape& s : shapes) {
    const bool a_is_transposed = s.layout[1] == '^', b_is_transposed = s.layout[0] == 'x';
    const auto a = a_is_transposed ? torch::randn({s.k, s.m}).t() : torch::randn({s.m, s.k});
    const auto b = b_is_transposed ? torch::randn({s.n, s.k}).t() : torch::randn({s.k, s.n});
    const std::string name = std::string("product ") + s.layout + ", " + std::to_string(s.m) +
                             " x " + std::to_string(s.k) + " x " + std::to_string(s.n);
    bench::report(name.c_str(), [&] { auto c = a.mm(b); });
  }
}
