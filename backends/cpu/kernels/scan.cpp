#include <algorithm>
#include <type_traits>

#include <tern/backends/cpu/kernels/divide_up.h>
#include <tern/backends/cpu/kernels/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/scan.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kScanGrain = 8192;   // the fewest elements per thread
constexpr std::int64_t kScanColumns = 256;  // columns whose sums stay in the cache

// PyTorch sums floating dtypes in double. Integers are summed unsigned, because signed overflow is
// undefined.
template <class T>
using RunningSum = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

/// Writes the running sums of n elements that lie `step` apart.
template <class T>
void cumsum_row(T* __restrict out, const T* __restrict in, std::int64_t n, std::int64_t step) {
  RunningSum<T> sum{};
  for (std::int64_t i = 0; i < n; ++i, in += step, out += step) {
    sum += static_cast<RunningSum<T>>(*in);
    *out = static_cast<T>(sum);
  }
}

/// Adds a row to the sums of its columns and writes the sums.
template <class T>
void add_to_columns(RunningSum<T>* __restrict sums, T* __restrict out, const T* __restrict in,
                    std::int64_t columns) {
  for (std::int64_t c = 0; c < columns; ++c) {
    sums[c] += static_cast<RunningSum<T>>(in[c]);
    out[c] = static_cast<T>(sums[c]);
  }
}

template <class T>
void cumsum_typed(const CumsumArgs& args) {
  const std::int64_t n = args.size, inner = args.inner;
  const std::int64_t step = args.reverse != 0 ? -inner : inner;
  const std::int64_t first = args.reverse != 0 ? (n - 1) * inner : 0;
  const auto in = static_cast<const T*>(args.in) + first;
  const auto out = static_cast<T*>(args.out) + first;
  if (inner == 1) {
    parallel_for(0, args.outer, kScanGrain / n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * n; i < end * n; i += n) cumsum_row(out + i, in + i, n, step);
    });
    return;
  }
  const std::int64_t blocks = divide_up(inner, kScanColumns);
  const std::int64_t grain = kScanGrain / (n * std::min(inner, kScanColumns));
  parallel_for(0, args.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block % blocks * kScanColumns;
      const std::int64_t start = block / blocks * n * inner + column;
      RunningSum<T> sums[kScanColumns] = {};
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t at = start + j * step;
        add_to_columns(sums, out + at, in + at, std::min(kScanColumns, inner - column));
      }
    }
  });
}

void cumsum(const CumsumArgs& args, KernelContext& context) {
  if (args.dtype == kBool) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  run_widened_rows(args, &CumsumArgs::outer, [](const CumsumArgs& wide) {
    visit_math_dtype(wide.dtype,
                     [&](auto tag) { cumsum_typed<typename decltype(tag)::type>(wide); });
  });
}

}  // namespace

void register_scan(kernels::KernelTable& table) {
  kernels::set<kernels::CumsumArgs, cumsum>(table);
}

}  // namespace tern::cpu
