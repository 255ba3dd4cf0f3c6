#include <atomic>
#include <limits>

#include <tern/backends/cpu/kernels/gemm_bfloat16.h>
#include <tern/backends/cpu/kernels/gemm_dot.h>
#include <tern/backends/cpu/kernels/gemm_inner.h>
#include <tern/backends/cpu/kernels/gemm_integer.h>
#include <tern/backends/cpu/kernels/gemm_outer.h>
#include <tern/backends/cpu/kernels/gemm_packed.h>
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
// The number of multiplications that is worth a thread.
constexpr std::int64_t kWorkPerThread = 1 << 16;

/// A product with operands packed into E, and how it is computed. The result has the same bits for
/// any number of threads.
template <class E>
struct Plan {
  Problem<NumberOf<E>> problem;
  std::int64_t batch;
  bool dot;
  int batch_parts, row_parts, column_parts;  // the threads as a grid
  std::atomic<bool> out_of_memory{false};
};

template <class T>
Problem<T> problem_of(const kernels::GemmArgs& args) {
  return {
      args.m,
      args.n,
      args.k,
      {static_cast<const T*>(args.a), args.a_batch_stride, args.a_row_stride, args.a_col_stride},
      {static_cast<const T*>(args.b), args.b_batch_stride, args.b_row_stride, args.b_col_stride},
      {static_cast<T*>(args.c), args.c_batch_stride, args.c_row_stride, 1},
      static_cast<const T*>(args.bias),
      static_cast<T>(args.alpha),
      static_cast<T>(args.beta)};
}

/// Merges matrices whose rows follow each other in memory, against a single B, into one matrix.
template <class E>
void merge_batch(Plan<E>& plan) {
  Problem<NumberOf<E>>& p = plan.problem;
  if (plan.batch == 1 || p.b.batch != 0) return;
  if (p.m == 1) p.a.row = p.a.batch, p.c.row = p.c.batch;
  if (p.a.batch != p.m * p.a.row || p.c.batch != p.m * p.c.row) return;
  p.m *= plan.batch;
  plan.batch = 1;
}

/// Transposes the product if that fills the vectors, and decides if inner products are best.
template <class E>
void choose_method(Plan<E>& plan) {
  using T = NumberOf<E>;
  constexpr int kWidth = Simd<T>::kWidth;
  Problem<T>& p = plan.problem;
  const bool few_columns = p.n < p.m;
  const std::int64_t short_side = std::min(p.m, p.n);
  const bool reads_along_k = few_columns ? p.a.column == 1 : p.b.row == 1;
  const bool packs = few_columns ? p.b.row != 1 : p.a.column != 1;
  const bool gathers =
      short_side == 1 && !packs && p.k <= kMaxGathered && (few_columns ? p.a.row : p.b.column) != 1;
  plan.dot = std::is_same_v<T, E> && (reads_along_k || gathers) && short_side <= kDotMaxRows &&
             p.k >= kDotMinVectors * kWidth && (!packs || short_side * p.k <= kDotMaxPacked);
  const bool can_turn =
      p.bias == nullptr && ((p.n == 1 && p.c.row == 1) || (p.beta == T(0) && p.k <= kTurnedMaxK));
  const bool fills_vectors = p.n < 2 * kWidth && p.n % kWidth != 0 && p.a.row == 1 && can_turn;
  if (few_columns && (plan.dot || fills_vectors)) p.turn();
}

/// Splits the work by matrices if there are enough, otherwise each matrix by rows and columns.
template <class E>
void choose_grid(Plan<E>& plan) {
  using T = NumberOf<E>;
  const Problem<T>& p = plan.problem;
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
  const std::int64_t strips = divide_up(p.m, kTileRows);
  double least = std::numeric_limits<double>::infinity();
  for (int row_parts = 1; row_parts <= threads && row_parts <= strips; ++row_parts) {
    if (threads % row_parts != 0) continue;
    const auto rows = static_cast<double>(std::min(p.m, divide_up(strips, row_parts) * kTileRows));
    const auto columns = static_cast<double>(p.n) * row_parts / threads;
    double cost = rows * columns / Simd<T>::kWidth + kPacking * (rows + columns);
    if (row_parts < threads) cost *= kSharedRows;
    if (cost > least) continue;
    least = cost;
    plan.row_parts = row_parts;
    plan.column_parts = threads / row_parts;
  }
}

template <class E, class T>
bool run_matrix(const Plan<E>& plan, const Problem<T>& p, std::int64_t row, std::int64_t column) {
  if (plan.dot) {
    const std::int64_t groups = divide_up(p.n, kDotColumns);
    return multiply_dot(p, groups * column / plan.column_parts * kDotColumns,
                        std::min(p.n, groups * (column + 1) / plan.column_parts * kDotColumns));
  }
  if (std::is_same_v<T, E> && is_outer(p)) {
    const std::int64_t part = row * plan.column_parts + column;
    const std::int64_t parts = std::int64_t{plan.row_parts} * plan.column_parts;
    multiply_outer(p, p.m * part / parts, p.m * (part + 1) / parts);
    return true;
  }
  const std::int64_t strips = divide_up(p.m, kTileRows);
  const std::int64_t first = strips * row / plan.row_parts;
  const std::int64_t last = strips * (row + 1) / plan.row_parts;
  const std::int64_t units = (last - first) * divide_up(p.n, Simd<T>::kWidth);
  const Share share{first * kTileRows, std::min(p.m, last * kTileRows),
                    units * column / plan.column_parts, units * (column + 1) / plan.column_parts};
  return multiply_packed<E>(p, share);
}

template <class E>
void run_part(void* context, int part) {
  auto& plan = *static_cast<Plan<E>*>(context);
  const std::int64_t column = part % plan.column_parts;
  const std::int64_t row = part / plan.column_parts % plan.row_parts;
  const std::int64_t batch = part / plan.column_parts / plan.row_parts;
  const std::int64_t begin = plan.batch * batch / plan.batch_parts;
  const std::int64_t end = plan.batch * (batch + 1) / plan.batch_parts;
  for (std::int64_t index = begin; index < end; ++index) {
    if (!run_matrix(plan, plan.problem.at(index), row, column)) plan.out_of_memory = true;
  }
}

/// Adds a bias that is not contiguous, in a separate pass.
template <class T>
void add_strided_bias(const kernels::GemmArgs& args) {
  const Problem<T> all = problem_of<T>(args);
  for (std::int64_t index = 0; index < args.batch; ++index) {
    const Problem<T> p = all.at(index);
    for (std::int64_t i = 0; i < p.m; ++i) {
      T* const row = p.c.data + i * p.c.row;
      for (std::int64_t j = 0; j < p.n; ++j) row[j] += p.bias[j * args.bias_stride];
    }
  }
}

template <class E>
void multiply(const kernels::GemmArgs& args, kernels::KernelContext& context) {
  using T = NumberOf<E>;
  Plan<E> plan{problem_of<T>(args), args.batch, false, 1, 1, 1};
  const bool strided_bias = args.bias != nullptr && args.bias_stride != 1 && args.n > 1;
  if (strided_bias) plan.problem.bias = nullptr;
  merge_batch(plan);
  if (plan.batch == 1 && is_inner(plan.problem)) {
    return multiply_inner(plan.problem, kWorkPerThread / 2);
  }
  choose_method(plan);
  choose_grid(plan);
  detail::run_parallel(plan.batch_parts * plan.row_parts * plan.column_parts, run_part<E>, &plan);
  if (plan.out_of_memory) context.status = kernels::StatusCode::kOutOfMemory;
  if (strided_bias) add_strided_bias<T>(args);
}

void gemm(const kernels::GemmArgs& args, kernels::KernelContext& context) {
  if (args.batch == 0 || args.m == 0 || args.n == 0) return;
  switch (args.dtype) {
    case kFloat32:
#if defined(__AVX512BF16__)
      if (args.precision == kernels::GemmPrecision::kMedium && args.k > 1 &&
          std::min(args.m, args.n) >= kRoundedMinSide) {
        return multiply<Bfloat16Pair>(args, context);
      }
#endif
      return multiply<float>(args, context);
    case kFloat64:
      return multiply<double>(args, context);
    case kInt64:
      return multiply_integers(args);
    default:
      context.status = kernels::StatusCode::kUnsupportedDtype;
  }
}

}  // namespace

void register_gemm(kernels::KernelTable& table) { kernels::set<kernels::GemmArgs, gemm>(table); }

}  // namespace tern::cpu
