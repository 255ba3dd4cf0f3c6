// Compiled for size.
// Instruction sets: baseline avx2.

#include <algorithm>
#include <type_traits>

#include <tern/backends/cpu/kernels/support/divide_up.h>
#include <tern/backends/cpu/kernels/support/loops.h>
#include <tern/backends/cpu/kernels/support/widen.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/scan.h>
#include <tern/core/kernels/math/is_nan.h>
#include <tern/core/kernels/math/math.h>

namespace tern::cpu {
namespace {

using namespace kernels;

constexpr std::int64_t kScanGrain = 8192;   // the fewest elements per thread
constexpr std::int64_t kScanColumns = 256;  // columns whose states stay in the cache

// PyTorch sums and multiplies floating dtypes in double. Integers are unsigned, because signed
// overflow is undefined.
template <class T>
using Running = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

// An op of one scan, made of
//   kRows                   how many rows are scanned at once: a step of one row waits for the last
//   State<n>                the states of n scans, which run side by side
//   start(state, c, at, j)  stores the state of scan c at its first element
//   step(state, c, at, j)   takes the next element, at offset `at` and index j along the scan

/// Sums and products.
template <class T, bool kMultiplies>
struct Accumulate {
  static constexpr std::int64_t kRows = 4;

  template <std::int64_t n>
  struct State {
    Running<T> value[n];
  };
  const T* in;
  T* out;

  template <class States>
  void start(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    state.value[c] = static_cast<Running<T>>(in[at]);
    out[at] = in[at];
  }
  template <class States>
  void step(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    const auto x = static_cast<Running<T>>(in[at]);
    state.value[c] = kMultiplies ? state.value[c] * x : state.value[c] + x;
    out[at] = static_cast<T>(state.value[c]);
  }
};

/// The largest or smallest element so far. The last of equal elements is chosen, and the last NaN.
template <class T, bool kLargest>
struct Extreme {
  static constexpr std::int64_t kRows = 4;

  template <std::int64_t n>
  struct State {
    T value[n];
    std::int64_t index[n];
  };
  const T* in;
  T* out;
  std::int64_t* indices;

  template <class States>
  void start(States& state, std::int64_t c, std::int64_t at, std::int64_t j) const {
    state.value[c] = out[at] = in[at];
    state.index[c] = indices[at] = j;
  }
  template <class States>
  void step(States& state, std::int64_t c, std::int64_t at, std::int64_t j) const {
    const T x = in[at];
    if ((kLargest ? x >= state.value[c] : x <= state.value[c]) || is_nan(x)) {
      state.value[c] = x;
      state.index[c] = j;
    }
    out[at] = state.value[c];
    indices[at] = state.index[c];
  }
};

/// h = in + factor * (the h before).
template <class T>
struct Recurrence {
  static constexpr std::int64_t kRows = 4;

  template <std::int64_t n>
  struct State {
    double value[n];
  };
  const T* in;
  const T* factors;
  std::int64_t shift;  // the factor of the element at `at` is factors[at + shift]
  T* out;

  template <class States>
  void start(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    state.value[c] = static_cast<double>(in[at]);
    out[at] = in[at];
  }
  template <class States>
  void step(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    const auto factor = static_cast<double>(factors[at + shift]);
    state.value[c] = static_cast<double>(in[at]) + factor * state.value[c];
    out[at] = static_cast<T>(state.value[c]);
  }
};

/// log(sum(e^x)) as m + log1p(r): m is the largest element so far, and r is the sum of e^(x - m)
/// over all other elements. So a small sum loses no digits, and no e^x overflows.
template <class T>
struct LogSumExp {
  static constexpr std::int64_t kRows = 16;  // fill vectors, because a step is expensive

  template <std::int64_t n>
  struct State {
    T top[n], rest[n];
  };
  const T* in;
  T* out;

  template <class States>
  void start(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    state.top[c] = out[at] = in[at];
    state.rest[c] = 0;
  }
  template <class States>
  void step(States& state, std::int64_t c, std::int64_t at, std::int64_t) const {
    const T x = in[at], top = state.top[c], rest = state.rest[c];
    const T distance = x == top ? T(0) : math::abs(x - top);  // infinities may be equal
    const T scale = math::exp_or_zero(-distance);
    state.rest[c] = x > top ? (rest + T(1)) * scale : rest + scale;
    state.top[c] = x > top ? x : top;
    out[at] = state.top[c] + math::log1p(state.rest[c]);
  }
};

/// Where the elements of a scan lie.
struct Scan {
  std::int64_t size, inner;
  bool reverse;

  std::int64_t step() const { return reverse ? -inner : inner; }
  std::int64_t index(std::int64_t k) const { return reverse ? size - 1 - k : k; }
};

/// Scans kRows rows that lie side by side.
template <std::int64_t kRows, class Op>
void scan_rows(const Op& op, const Scan& scan, std::int64_t start) {
  typename Op::template State<kRows> state;
  std::int64_t at = start + scan.index(0);
  for (std::int64_t r = 0; r < kRows; ++r) op.start(state, r, at + r * scan.size, scan.index(0));
  for (std::int64_t k = 1; k < scan.size; ++k) {
    at += scan.step();
    const auto step = [&](std::int64_t r) { op.step(state, r, at + r * scan.size, scan.index(k)); };
    if constexpr (kRows > 4) {
      TERN_INDEPENDENT
      for (std::int64_t r = 0; r < kRows; ++r) step(r);
    } else {
#pragma GCC unroll 4
      for (std::int64_t r = 0; r < kRows; ++r) step(r);
    }
  }
}

/// Scans neighbouring columns row by row.
template <class Op>
void scan_columns(const Op& op, const Scan& scan, std::int64_t start, std::int64_t columns) {
  typename Op::template State<kScanColumns> state;
  std::int64_t at = start + scan.index(0) * scan.inner;
  for (std::int64_t c = 0; c < columns; ++c) op.start(state, c, at + c, scan.index(0));
  for (std::int64_t k = 1; k < scan.size; ++k) {
    at += scan.step();
    const std::int64_t j = scan.index(k);
    TERN_INDEPENDENT
    for (std::int64_t c = 0; c < columns; ++c) op.step(state, c, at + c, j);
  }
}

template <class Op>
void scan_all(const ScanArgs& args, const Op& op) {
  const Scan scan{args.size, args.inner, args.reverse != 0};
  const std::int64_t n = args.size, inner = args.inner;
  if (inner == 1) {
    parallel_for(0, args.outer, kScanGrain / n, [&](std::int64_t begin, std::int64_t end) {
      const Op local = op;  // no pointer to it may escape, or each step would load it again
      std::int64_t row = begin;
      for (; row + Op::kRows <= end; row += Op::kRows) scan_rows<Op::kRows>(local, scan, row * n);
      for (; row < end; ++row) scan_rows<1>(local, scan, row * n);
    });
    return;
  }
  // Narrower blocks if wide ones would be too few for the threads.
  const bool is_wide = args.outer * (inner / kScanColumns) >= get_num_threads();
  const std::int64_t width = is_wide ? kScanColumns : kScanColumns / 4;
  const std::int64_t blocks = divide_up(inner, width);
  const std::int64_t grain = kScanGrain / (n * std::min(inner, width));
  parallel_for(0, args.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
    const Op local = op;
    for (std::int64_t block = begin; block < end; ++block) {
      const std::int64_t column = block % blocks * width;
      const std::int64_t start = block / blocks * n * inner + column;
      scan_columns(local, scan, start, std::min(width, inner - column));
    }
  });
}

template <class T>
void scan_extremes(const ScanArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  if (args.op == ScanOp::kMax) {
    scan_all(args, Extreme<T, true>{in, out, args.indices});
  } else {
    scan_all(args, Extreme<T, false>{in, out, args.indices});
  }
}

template <class T>
void scan_numbers(const ScanArgs& args) {
  const auto in = static_cast<const T*>(args.in);
  const auto out = static_cast<T*>(args.out);
  if (args.op == ScanOp::kSum) return scan_all(args, Accumulate<T, false>{in, out});
  if (args.op == ScanOp::kProd) return scan_all(args, Accumulate<T, true>{in, out});
  if constexpr (std::is_floating_point_v<T>) {
    if (args.op == ScanOp::kLogSumExp) return scan_all(args, LogSumExp<T>{in, out});
    const std::int64_t before = args.reverse != 0 ? args.inner : -args.inner;
    scan_all(args, Recurrence<T>{in, static_cast<const T*>(args.factors),
                                 args.shifted != 0 ? before : 0, out});
  }
}

void scan(const ScanArgs& args, KernelContext& context) {
  if (!scans(args.op, args.dtype)) {
    context.status = StatusCode::kUnsupportedDtype;
    return;
  }
  run_widened_rows(args, &ScanArgs::outer, [](const ScanArgs& wide) {
    const bool finds = wide.op == ScanOp::kMax || wide.op == ScanOp::kMin;
    visit_math_dtype(wide.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      using E = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
      if (finds) return scan_extremes<E>(wide);
      if constexpr (std::is_floating_point_v<T> || sizeof(T) == 8) scan_numbers<T>(wide);
    });
  });
}

}  // namespace

void register_scan(kernels::KernelTable& table) { kernels::set<kernels::ScanArgs, scan>(table); }

}  // namespace tern::cpu
