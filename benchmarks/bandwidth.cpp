#include <torch/torch.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench.h"
#include "queued.h"

// How fast ops that only wait for memory move their operands on a GPU: a line per op and dtype with
// nanoseconds and GB/s, where each operand counts once and rows and results of sums do not count.
// bandwidth.py prints the same lines for PyTorch. The argument is the binary logarithm of the
// number of elements.

namespace {

void measure(int bits, torch::ScalarType dtype, const std::string& dtype_name) {
  const std::int64_t rows = std::int64_t{1} << (bits - bits / 2),
                     columns = std::int64_t{1} << (bits / 2);
  const auto x = torch::rand({rows, columns}, torch::kCUDA).to(dtype);
  auto y = torch::rand_like(x);
  const auto row = y[0].clone();
  // Images with the channels first and last.
  const auto images = x.view({-1, 8, rows / 8, columns / 8});
  const auto bytes = static_cast<double>(x.numel()) * static_cast<double>(x.element_size());
  const auto line = [&](const char* name, double operands, const auto& op) {
    const double ns = bench::queued_ns(op, bits < 20 ? bench::kBriefly : bench::kOnGpu);
    std::printf("%s, %s\t%.1f\t%.1f\n", name, dtype_name.c_str(), ns, operands * bytes / ns);
    std::fflush(stdout);
  };
  line("copy", 2, [&] { y.copy_(x); });
  line("multiply by a number", 2, [&] { x.mul(0.5); });
  line("add two tensors", 3, [&] { x.add(y); });
  line("add in place", 3, [&] { y.add_(x, 0.0); });
  line("add a row", 2, [&] { x.add(row); });
  line("exp", 2, [&] { x.exp(); });
  line("gelu", 2, [&] { torch::gelu(x); });
  line("sum", 1, [&] { x.sum(); });
  line("sum of rows", 1, [&] { x.sum(1); });
  line("sum of columns", 1, [&] { x.sum(0); });
  line("maximum of rows", 1, [&] { x.amax(1); });
  line("softmax of rows", 2, [&] { x.softmax(1); });
  line("softmax of columns", 2, [&] { x.softmax(0); });
  line("layer norm", 2, [&] { torch::layer_norm(x, {columns}); });
  line("transpose", 2, [&] { x.t().contiguous(); });
  line("channels last", 2, [&] { images.contiguous(torch::MemoryFormat::ChannelsLast); });
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Arguments arguments(argc, argv, "[BITS]", 1);
  const int bits = arguments.number(1, 26, 8, 30);
  if (!bench::has_gpu()) return 1;
  const torch::NoGradGuard no_grad;
  measure(bits, torch::kFloat, "float32");
  measure(bits, torch::kHalf, "float16");
}
