// Spills registers.

#include <cstdint>
#include <type_traits>

#include <tern/backends/cuda/device/support/block_scan.h>
#include <tern/backends/cuda/device/support/elements.h>
#include <tern/backends/cuda/device/support/launch.h>
#include <tern/backends/cuda/device/support/shared_array.h>
#include <tern/core/kernels/families/scan.h>
#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cuda::device {
namespace {

// An op of a scan, made of
//   State                    what is known of several neighbouring elements; plain data
//   load(at, j, first)       the state of the element at offset `at` and index j along the scan
//   merge(a, b)              the state of neighbours; those of `a` come first
//   store(at, state)         writes the result of an element

// Sums and multiplies floating dtypes in float or double, as PyTorch does on CUDA; the CPU's kernel
// does it in double. Integers are unsigned, because signed overflow is undefined.
template <class T>
using Running = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

template <class T>
struct Accumulate {
  using State = Running<T>;
  Elements<T> in, out;
  bool multiplies;

  __device__ State load(std::int64_t at, std::int64_t, bool) const {
    return static_cast<State>(in[at]);
  }
  __device__ State merge(State a, State b) const { return multiplies ? a * b : a + b; }
  __device__ void store(std::int64_t at, State state) const { out.set(at, static_cast<T>(state)); }
};

template <class T>
struct ValueAndIndex {
  T value;
  std::int64_t index;
};

/// The last of equal extremes, or the last NaN.
template <class T>
struct Extreme {
  using State = ValueAndIndex<T>;
  Elements<T> in, out;
  std::int64_t* indices;
  bool largest;

  __device__ State load(std::int64_t at, std::int64_t j, bool) const { return {in[at], j}; }
  __device__ State merge(const State& a, const State& b) const {
    const bool is_better = largest ? b.value >= a.value : b.value <= a.value;
    return is_better || is_nan(b.value) ? b : a;
  }
  __device__ void store(std::int64_t at, const State& state) const {
    out.set(at, state.value);
    indices[at] = state.index;
  }
};

template <class T>
struct TopAndRest {
  T top, rest;
};

/// log(sum(e^x)) as top + log1p(rest): `rest` is the sum of e^(x - top) over all elements but the
/// largest.
template <class T>
struct LogSumExp {
  using State = TopAndRest<T>;
  Elements<T> in, out;

  __device__ State load(std::int64_t at, std::int64_t, bool) const { return {in[at], 0}; }
  __device__ State merge(const State& a, const State& b) const {
    const T distance = a.top == b.top ? T(0) : math::abs(a.top - b.top);  // infinities may be equal
    const T scale = math::exp_or_zero(-distance);
    const bool rises = b.top > a.top;
    const State& larger = rises ? b : a;
    const State& smaller = rises ? a : b;
    return {larger.top, larger.rest + (smaller.rest + T(1)) * scale};
  }
  __device__ void store(std::int64_t at, const State& state) const {
    out.set(at, state.top + math::log1p(state.rest));
  }
};

template <class T>
struct Line {
  T factor, offset;
};

/// Each element is a function of the result before it, factor * h + offset; two functions in a row
/// are such a function, too.
template <class T>
struct Recurrence {
  using State = Line<T>;
  Elements<T> in, factors;
  std::int64_t shift;  // the factor of the element at `at` is factors[at + shift]
  Elements<T> out;

  __device__ State load(std::int64_t at, std::int64_t, bool first) const {
    return {first ? T(0) : factors[at + shift], in[at]};
  }
  __device__ State merge(const State& a, const State& b) const {
    return {a.factor * b.factor, b.factor * a.offset + b.offset};
  }
  __device__ void store(std::int64_t at, const State& state) const { out.set(at, state.offset); }
};

/// Where the elements of a scan lie.
struct Scan {
  std::int64_t rows, size, inner;
  bool reverse;

  __device__ std::int64_t start(std::int64_t row) const {
    return row / inner * size * inner + row % inner;
  }
  __device__ std::int64_t index(std::int64_t k) const { return reverse ? size - 1 - k : k; }
};

/// One thread per row. If `inner` > 1, neighbouring threads read neighbouring elements.
template <class Op>
__global__ void __launch_bounds__(kThreads) scan_by_threads(Op op, Scan scan) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  for (std::int64_t row = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; row < scan.rows;
       row += stride) {
    const std::int64_t start = scan.start(row);
    typename Op::State state{};
    for (std::int64_t k = 0; k < scan.size; ++k) {
      const std::int64_t j = scan.index(k), at = start + j * scan.inner;
      const typename Op::State element = op.load(at, j, k == 0);
      state = k == 0 ? element : op.merge(state, element);
      op.store(at, state);
    }
  }
}

/// Returns the merged values of this thread and all threads before it, and sets `total` to those of
/// all `count` threads that have one. In each step a thread merges the value of the thread 1, 2, 4,
/// ... before it (Hillis and Steele, "Data parallel algorithms", 1986).
template <class Op>
__device__ typename Op::State scan_of_block(const Op& op, typename Op::State value, unsigned count,
                                            typename Op::State& total) {
  __shared__ SharedArray<typename Op::State, kThreads> values;
  values[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < count; distance *= 2) {
    const bool merges = threadIdx.x >= distance;
    const typename Op::State before = values[merges ? threadIdx.x - distance : 0];
    __syncthreads();
    if (merges) values[threadIdx.x] = value = op.merge(before, value);
    __syncthreads();
  }
  total = values[count - 1];
  __syncthreads();
  return value;
}

/// A contiguous row per block, in pieces of one element per thread.
template <class Op>
__global__ void __launch_bounds__(kThreads) scan_by_blocks(Op op, Scan scan) {
  for (std::int64_t row = blockIdx.x; row < scan.rows; row += gridDim.x) {
    typename Op::State before{}, total{};
    for (std::int64_t piece = 0; piece < scan.size; piece += kThreads) {
      const std::int64_t left = scan.size - piece, k = piece + threadIdx.x;
      const unsigned count = left < kThreads ? static_cast<unsigned>(left) : kThreads;
      // Threads without an element repeat the last one; nobody reads their values.
      const bool has_element = threadIdx.x < count;
      const std::int64_t j = scan.index(has_element ? k : scan.size - 1);
      const std::int64_t at = row * scan.size + j;
      const typename Op::State element = op.load(at, j, k == 0);
      typename Op::State state = scan_of_block(op, element, count, total);
      if (piece > 0) {
        state = op.merge(before, state);
        total = op.merge(before, total);
      }
      if (has_element) op.store(at, state);
      before = total;
    }
  }
}

constexpr std::int64_t kShortRow = 32;  // elements; a block would leave most threads idle

template <class Op>
void run_scan(const ScanArgs& args, KernelContext& context, const Op& op) {
  const Scan scan{args.outer * args.inner, args.size, args.inner, args.reverse != 0};
  if (args.inner > 1 || args.size <= kShortRow) {
    launch(context, scan_by_threads<Op>, blocks_for(scan.rows, kThreads), kThreads, op, scan);
  } else {
    launch(context, scan_by_blocks<Op>, blocks_for(scan.rows, 1), kThreads, op, scan);
  }
}

template <class T>
void scan_as(const ScanArgs& args, KernelContext& context) {
  const Elements<T> in{args.in, args.dtype}, out{args.out, args.dtype};
  switch (args.op) {
    case ScanOp::kSum:
    case ScanOp::kProd:
      return run_scan(args, context, Accumulate<T>{in, out, args.op == ScanOp::kProd});
    case ScanOp::kMax:
    case ScanOp::kMin:
      return run_scan(args, context, Extreme<T>{in, out, args.indices, args.op == ScanOp::kMax});
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == ScanOp::kLogSumExp) return run_scan(args, context, LogSumExp<T>{in, out});
    const std::int64_t before = args.reverse != 0 ? args.inner : -args.inner;
    run_scan(args, context,
             Recurrence<T>{in, {args.factors, args.dtype}, args.shifted != 0 ? before : 0, out});
  }
}

void scan(const ScanArgs& args, KernelContext& context) {
  if (!scans(args.op, args.dtype)) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  if (!is_floating_point(args.dtype)) return scan_as<std::int64_t>(args, context);
  args.dtype == kDouble ? scan_as<double>(args, context) : scan_as<float>(args, context);
}

}  // namespace

void register_scan(KernelTable& table) { set<ScanArgs, scan>(table); }

}  // namespace tern::cuda::device
