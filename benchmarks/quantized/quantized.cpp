#include <string>

#include <tern/tern.h>

#include "../bench.h"

// Products with quantised weights beside float32, in the sizes of a small language model: one row
// of activations, as when it generates, and a prompt of 512. "packed": after the first product has
// packed the weight. A name ends with the megabytes of the
// weight, so that bytes per second can be compared with "read", which sums 256 MB.

namespace {

void report_product(std::int64_t features, std::int64_t columns, std::int64_t rows) {
  const tern::Tensor weight = tern::randn({features, columns}), x = tern::randn({rows, columns});
  const auto name = [&](std::string_view format, const tern::Tensor& stored) {
    return std::string(format) + ", " + std::to_string(features) + " x " + std::to_string(columns) +
           ", " + std::to_string(rows) + " rows, " +
           std::to_string(static_cast<double>(stored.nbytes()) * 1e-6) + " MB";
  };
  bench::report(name("float32", weight).c_str(), [&] { auto y = tern::linear(x, weight); });
  for (const tern::BlockFormat format : {tern::BlockFormat::kQ8_0, tern::BlockFormat::kQ4_0,
                                         tern::BlockFormat::kQ4_1, tern::BlockFormat::kQ4_K}) {
    if (columns % tern::elements_of_block(format) != 0) continue;
    const tern::Tensor blocks = tern::quantize_rows(weight, format);
    const auto product = [&] { auto y = tern::quantized_linear(x, blocks, format); };
    const std::string text(tern::block_format_name(format));
    bench::report(name(text, blocks).c_str(), product);
    if (format == tern::BlockFormat::kQ4_K) continue;  // is not packed
    tern::use_packed_quantized_weights(true);
    bench::report(name(text + " packed", blocks).c_str(), product);
    tern::use_packed_quantized_weights(false);
  }
}

}  // namespace

int main(int argc, char** argv) {
  tern::set_num_threads(bench::threads(argc, argv));
  const tern::NoGradGuard no_grad;
  const tern::Tensor large = tern::ones({1 << 26});
  bench::report("read, 268.435456 MB", [&] { auto y = large.sum(); });
  for (const std::int64_t rows : {1, 512}) {
    report_product(576, 576, rows);
    report_product(1536, 576, rows);
    report_product(576, 1536, rows);
  }
  report_product(49152, 576, 1);
  report_product(2048, 2048, 1);
}
