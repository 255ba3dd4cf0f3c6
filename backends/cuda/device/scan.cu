#include <cstdint>
#include <type_traits>

#include <tern/backends/cuda/device/elements.h>
#include <tern/backends/cuda/device/launch.h>
#include <tern/core/kernels/families/scan.h>

namespace tern::cuda::device {
namespace {

// Sums floating dtypes in float or double, as PyTorch does on CUDA; the CPU's kernel sums them in
// double. Integers are summed unsigned, because signed overflow is undefined.
template <class T>
using RunningSum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

/// One thread per row. If `inner` > 1, neighbouring threads read neighbouring elements.
template <class T>
__global__ void __launch_bounds__(kThreads)
    scan_by_threads(Elements<T> in, Elements<T> out, std::int64_t rows, std::int64_t size,
                    std::int64_t inner, bool reverse) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t row = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; row < rows;
       row += stride) {
    const std::int64_t start = row / inner * size * inner + row % inner;
    RunningSum<T> sum = 0;
    for (std::int64_t j = 0; j < size; ++j) {
      const std::int64_t at = start + (reverse ? size - 1 - j : j) * inner;
      sum += static_cast<RunningSum<T>>(in[at]);
      out.set(at, static_cast<T>(sum));
    }
  }
}

/// Returns the sum of the values of this thread and all threads before it, and sets `total` to the
/// sum of all threads. In each step a thread adds the value of the thread 1, 2, 4, ... before it
/// (Hillis and Steele, "Data parallel algorithms", 1986).
template <class Sum>
__device__ Sum scan_of_block(Sum value, Sum& total) {
  __shared__ Sum values[kThreads];
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const Sum before = threadIdx.x < distance ? Sum(0) : values[threadIdx.x - distance];
    __syncthreads();
    values[threadIdx.x] = value += before;
    __syncthreads();
  }
  total = values[kThreads - 1];
  __syncthreads();
  return value;
}

/// A contiguous row per block, in pieces of one element per thread.
template <class T>
__global__ void __launch_bounds__(kThreads)
    scan_by_blocks(Elements<T> in, Elements<T> out, std::int64_t rows, std::int64_t size,
                   bool reverse) {
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    RunningSum<T> before = 0, total = 0;
    for (std::int64_t piece = 0; piece < size; piece += kThreads) {
      const std::int64_t j = piece + threadIdx.x;
      const std::int64_t at = row * size + (reverse ? size - 1 - j : j);
      const auto value = j < size ? static_cast<RunningSum<T>>(in[at]) : RunningSum<T>(0);
      const RunningSum<T> sum = before + scan_of_block(value, total);
      if (j < size) out.set(at, static_cast<T>(sum));
      before += total;
    }
  }
}

constexpr std::int64_t kShortRow = 32;  // elements; a block would leave most threads idle

void cumsum(const CumsumArgs& args, KernelContext& context) {
  if (args.dtype == kBool) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
    const std::int64_t rows = args.outer * args.inner;
    const bool reverse = args.reverse != 0;
    if (args.inner > 1 || args.size <= kShortRow) {
      launch(context, scan_by_threads<T>, blocks_for(rows, kThreads), kThreads, in, out, rows,
             args.size, args.inner, reverse);
    } else {
      launch(context, scan_by_blocks<T>, blocks_for(rows, 1), kThreads, in, out, rows, args.size,
             reverse);
    }
  };
  if (!is_floating_point(args.dtype)) return run(TypeTag<std::int64_t>());
  args.dtype == kDouble ? run(TypeTag<double>()) : run(TypeTag<float>());
}

}  // namespace

void register_scan(KernelTable& table) { set<CumsumArgs, cumsum>(table); }

}  // namespace tern::cuda::device
