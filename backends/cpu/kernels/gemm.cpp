// Instruction sets: baseline avx2 avx512 avx512_bf16 amx.

#include <atomic>
#include <limits>
#include <optional>

#include <tern/backends/cpu/kernels/gemm/amx.h>
#include <tern/backends/cpu/kernels/gemm/bfloat16.h>
#include <tern/backends/cpu/kernels/gemm/dot.h>
#include <tern/backends/cpu/kernels/gemm/inner.h>
#include <tern/backends/cpu/kernels/gemm/integer.h>
#include <tern/backends/cpu/kernels/gemm/outer.h>
#include <tern/backends/cpu/kernels/gemm/packed.h>
#include <tern/backends/cpu/kernels/support/scratch.h>
#include <tern/core/base/thread_pool.h>
#include <tern/core/kernels/families/gemm.h>

namespace tern::cpu {
namespace {

// Measured: inner products are faster up to this many rows and from this many vectors of k on...
constexpr std::int64_t kDotMaxRows = kVectorBytes == 64 ? 32 : 12;
constexpr std::int64_t kDotMinVectors = 4;
// ...if the data to pack for them fits into the second-level cache.
constexpr std::int64_t kDotMaxPacked = 1 << 17;
// Columns with gaps are gathered up to this length.
constexpr std::int64_t kMaxGathered = 1 << 16;
// Smaller matrices are not read often enough for the rounding to pay off.
[[maybe_unused]] constexpr std::int64_t kRoundedMinSide = 16;
// Bfloat16 needs no rounding, but the tiles of AMX have 16 rows.
#if defined(TERN_AMX)
constexpr std::int64_t kPairedMinSide = 16;
#else
[[maybe_unused]] constexpr std::int64_t kPairedMinSide = 2;
#endif
// The number of multiplications that is worth a thread.
constexpr std::int64_t kWorkPerThread = 1 << 16;

/// A product of S with operands packed into E, and how it is computed. The result has the same bits
/// for any number of threads.
template <class S, class E>
struct Plan {
  Problem<S> problem;
  std::int64_t batch;
  bool dot;
  int batch_parts, row_parts, column_parts;  // the threads as a grid
  std::atomic<bool> out_of_memory{false};
};

template <class S>
Problem<S> problem_of(const kernels::GemmArgs& args) {
  return {
      args.m,
      args.n,
      args.k,
      {static_cast<const S*>(args.a), args.a_batch_stride, args.a_row_stride, args.a_col_stride},
      {static_cast<const S*>(args.b), args.b_batch_stride, args.b_row_stride, args.b_col_stride},
      {static_cast<S*>(args.c), args.c_batch_stride, args.c_row_stride, 1},
      static_cast<const S*>(args.bias),
      static_cast<SumOf<S>>(args.alpha),
      static_cast<SumOf<S>>(args.beta),
      Format<S>(args.dtype)};
}

/// Merges matrices whose rows follow each other in memory, against a single B, into one matrix.
template <class S, class E>
void merge_batch(Plan<S, E>& plan) {
  Problem<S>& p = plan.problem;
  if (plan.batch == 1 || p.b.batch != 0) return;
  if (p.m == 1) p.a.row = p.a.batch, p.c.row = p.c.batch;
  if (p.a.batch != p.m * p.a.row || p.c.batch != p.m * p.c.row) return;
  p.m *= plan.batch;
  plan.batch = 1;
}

/// Decides if inner products are best, and transposes the product if that fills the vectors or
/// leaves less to pack.
template <class S, class E>
void choose_method(Plan<S, E>& plan) {
  using T = SumOf<S>;
  constexpr int kWidth = kLanes<T>;
  constexpr std::int64_t kMaxRows = std::is_same_v<S, Narrow> ? 1 : kDotMaxRows;
  Problem<S>& p = plan.problem;
  const bool few_columns = p.n < p.m;
  const std::int64_t short_side = std::min(p.m, p.n);
  const bool reads_along_k = few_columns ? p.a.column == 1 : p.b.row == 1;
  const bool packs = few_columns ? p.b.row != 1 : p.a.column != 1;
  const bool gathers =
      short_side == 1 && !packs && p.k <= kMaxGathered && (few_columns ? p.a.row : p.b.column) != 1;
  plan.dot = std::is_same_v<T, E> && (reads_along_k || gathers) && short_side <= kMaxRows &&
             p.k >= kDotMinVectors * kWidth && (!packs || short_side * p.k <= kDotMaxPacked);
  const bool fits_in_block = p.beta == T(0) && p.k <= kTurnedMaxK;
  const bool can_turn = p.bias == nullptr && ((p.n == 1 && p.c.row == 1) || fits_in_block);
  const bool fills_vectors = p.n < 2 * kWidth && p.n % kWidth != 0 && p.a.row == 1 && can_turn;
  // Only the operand on the right is packed. Storing a transposed result costs about as much per
  // element as packing.
  const bool packs_less = std::is_same_v<S, E> && !plan.dot && p.b.row == 1 && fits_in_block &&
                          (p.n - p.m) * p.k > 2 * p.m * p.n;
  if ((few_columns && (plan.dot || fills_vectors)) || packs_less) p.transpose();
}

/// Splits the work by matrices if there are enough, otherwise each matrix by rows and columns.
template <class S, class E>
void choose_grid(Plan<S, E>& plan) {
  using T = SumOf<S>;
  const Problem<S>& p = plan.problem;
  const std::int64_t most =
      plan.batch * p.m * p.n * std::max<std::int64_t>(p.k, 1) / kWorkPerThread;
  plan.batch_parts = plan.row_parts = plan.column_parts = 1;
  if (most < 2 || in_parallel_region()) return;
  const int threads = static_cast<int>(std::min<std::int64_t>(most, get_num_threads()));
  if (plan.batch % threads == 0 || plan.batch >= 4 * threads) {
    plan.batch_parts = threads;
    return;
  }
  plan.column_parts = threads;
  if (plan.dot) return;
  // The cost of a grid: cycles of the slowest thread per element of k, for multiplying and for
  // packing its parts of A and B. Threads that share rows of C slow each other's caches by 0 to
  // 20 %, varying from run to run.
  constexpr double kPacking = 0.3 * PackedElement<E>::kSteps, kSharedRows = 1.1;
  const std::int64_t strips = divide_up(p.m, kStripRows<E>);
  double least = std::numeric_limits<double>::infinity();
  for (int row_parts = 1; row_parts <= threads && row_parts <= strips; ++row_parts) {
    if (threads % row_parts != 0) continue;
    const auto rows =
        static_cast<double>(std::min(p.m, divide_up(strips, row_parts) * kStripRows<E>));
    const auto columns = static_cast<double>(p.n) * row_parts / threads;
    const double packed = (reads_a_in_place<E>(p) ? 0 : rows) +
                          (reads_b_in_place<E>(p, static_cast<std::int64_t>(rows)) ? 0 : columns);
    double cost = rows * columns / kLanes<T> + kPacking * packed;
    if (row_parts < threads) cost *= kSharedRows;
    if (cost > least) continue;
    least = cost;
    plan.row_parts = row_parts;
    plan.column_parts = threads / row_parts;
  }
}

template <class S, class E>
bool run_matrix(const Plan<S, E>& plan, const Problem<S>& p, std::int64_t row,
                std::int64_t column) {
  if constexpr (std::is_same_v<SumOf<S>, E>) {
    if (plan.dot) {
      const std::int64_t groups = divide_up(p.n, kDotColumns);
      return multiply_dot(p, groups * column / plan.column_parts * kDotColumns,
                          std::min(p.n, groups * (column + 1) / plan.column_parts * kDotColumns));
    }
  }
  if constexpr (std::is_same_v<S, E>) {
    if (is_outer(p)) {
      const std::int64_t part = row * plan.column_parts + column;
      const std::int64_t parts = std::int64_t{plan.row_parts} * plan.column_parts;
      multiply_outer(p, p.m * part / parts, p.m * (part + 1) / parts);
      return true;
    }
  }
  const std::int64_t strips = divide_up(p.m, kStripRows<E>);
  const std::int64_t first = strips * row / plan.row_parts;
  const std::int64_t last = strips * (row + 1) / plan.row_parts;
  const std::int64_t units = (last - first) * divide_up(p.n, kLanes<SumOf<S>>);
  const Share share{first * kStripRows<E>, std::min(p.m, last * kStripRows<E>),
                    units * column / plan.column_parts, units * (column + 1) / plan.column_parts};
  return multiply_packed<E>(p, share);
}

template <class S, class E>
void run_part(void* context, int part) {
  auto& plan = *static_cast<Plan<S, E>*>(context);
  const std::int64_t column = part % plan.column_parts;
  const std::int64_t row = part / plan.column_parts % plan.row_parts;
  const std::int64_t batch = part / plan.column_parts / plan.row_parts;
  [[maybe_unused]] const TileRegion<E> region{};
  const std::int64_t begin = plan.batch * batch / plan.batch_parts;
  const std::int64_t end = plan.batch * (batch + 1) / plan.batch_parts;
  for (std::int64_t index = begin; index < end; ++index) {
    if (!run_matrix(plan, plan.problem.at(index), row, column)) plan.out_of_memory = true;
  }
}

template <class S, class E>
void multiply(const kernels::GemmArgs& args, kernels::KernelContext& context) {
  Plan<S, E> plan{problem_of<S>(args), args.batch, false, 1, 1, 1};
  std::optional<Scratch<S>> bias;  // a contiguous copy
  if (args.bias != nullptr && args.bias_stride != 1 && args.n > 1) {
    bias.emplace(args.n);
    gather_span(bias->data(), static_cast<const S*>(args.bias), args.bias_stride, args.n);
    plan.problem.bias = bias->data();
  }
  merge_batch(plan);
  if constexpr (std::is_same_v<SumOf<S>, E>) {
    if (plan.batch == 1 && is_inner(plan.problem)) {
      return multiply_inner(plan.problem, kWorkPerThread / 2);
    }
  }
  choose_method(plan);
  choose_grid(plan);
  detail::run_parallel(plan.batch_parts * plan.row_parts * plan.column_parts, run_part<S, E>,
                       &plan);
  if (plan.out_of_memory) context.status = kernels::StatusCode::kOutOfMemory;
}

using kernels::GemmArgs;
using kernels::KernelContext;

bool always(const GemmArgs& /*args*/) { return true; }
template <ScalarType dtype>
bool has(const GemmArgs& args) {
  return args.dtype == dtype;
}

#if defined(__AVX512BF16__)
#if defined(TERN_AMX)
using Paired = AmxRow;
#else
using Paired = Bfloat16Pair;
#endif

/// Returns true if bfloat16 is multiplied in pairs.
bool is_paired(const GemmArgs& args) {
  return args.dtype == kBFloat16 && args.k > 1 && std::min(args.m, args.n) >= kPairedMinSide;
}

/// Returns true if float32 is rounded to such pairs.
bool is_rounded(const GemmArgs& args) {
  return args.dtype == kFloat32 && args.precision == kernels::GemmPrecision::kMedium &&
         args.k > 1 && std::min(args.m, args.n) >= kRoundedMinSide;
}
#endif

#if defined(TERN_CPU_PAIRS_ONLY)
/// The base set's kernel computes all products that this set computes no faster.
kernels::KernelFn base_gemm;

void multiply_by_base(const GemmArgs& args, KernelContext& context) { base_gemm(&args, &context); }
#else
void refuse(const GemmArgs& /*args*/, KernelContext& context) {
  context.status = kernels::StatusCode::kUnsupportedDtype;
}

void multiply_whole(const GemmArgs& args, KernelContext& context) {
  if (!multiply_integers(args)) context.status = kernels::StatusCode::kOutOfMemory;
}
#endif

/// A kernel of this set, and the products for which it is taken.
struct Method {
  bool (*suits)(const GemmArgs& args);
  void (*run)(const GemmArgs& args, KernelContext& context);
};

/// The first method that suits is taken.
constexpr Method kMethods[] = {
#if defined(__AVX512BF16__)
    {is_paired, multiply<Narrow, Paired>},
    {is_rounded, multiply<float, Paired>},
#endif
#if defined(TERN_CPU_PAIRS_ONLY)
    {always, multiply_by_base}
#else
    {has<kFloat32>, multiply<float, float>},
    {has<kFloat64>, multiply<double, double>},
    {has<kHalf>, multiply<Narrow, float>},
    {has<kBFloat16>, multiply<Narrow, float>},
    {has<kBool>, refuse},
    {always, multiply_whole}
#endif
};

void gemm(const GemmArgs& args, KernelContext& context) {
  if (args.batch == 0 || args.m == 0 || args.n == 0) return;
  const Method* method = kMethods;
  while (!method->suits(args)) ++method;
  method->run(args, context);
}

}  // namespace

void register_gemm(kernels::KernelTable& table) {
#if defined(TERN_CPU_PAIRS_ONLY)
  base_gemm = table[kernels::Slot::gemm];
#endif
  kernels::set<kernels::GemmArgs, gemm>(table);
}

}  // namespace tern::cpu
