#include <tern/backends/cuda/device/linalg/matrices.h>

#include <algorithm>
#include <limits>
#include <new>

#include <tern/core/kernels/math/math_dtype.h>

namespace tern::cuda::device {
namespace {

/// Writes the info and, where they are not null, the pivots and the determinant of LU factors that
/// are stored by column, one thread per matrix. The library's own info is not specified for every
/// function. Moves pivots into their range, because nothing specifies those of a matrix with NaN,
/// and the library swaps rows by them.
template <class T, class Pivot>
__global__ void __launch_bounds__(kThreads)
    finish_lu(LinalgArgs args, const T* factors, Pivot* pivots, T* determinants) {
  const std::int64_t m = args.m, k = m < args.n ? m : args.n;
  const GridPosition here;
  for (std::int64_t i = here.first; i < args.batch; i += here.step) {
    std::int64_t info = 0;
    double product = 1;
    for (std::int64_t j = 0; j < k; ++j) {
      Pivot& pivot = pivots[i * k + j];
      if (pivot <= j || pivot > m) pivot = static_cast<Pivot>(j + 1);
      if (args.pivots != nullptr) args.pivots[i * k + j] = static_cast<std::int32_t>(pivot);
      const T diagonal = factors[(i * args.n + j) * m + j];
      if (diagonal == T(0) && info == 0) info = j + 1;
      product *= pivot == j + 1 ? static_cast<double>(diagonal) : -static_cast<double>(diagonal);
    }
    args.info[i] = info;
    if (determinants != nullptr) determinants[i] = static_cast<T>(product);
  }
}

/// Writes the info of Cholesky factors, one thread per matrix. The library lets NaN pass.
template <class T>
__global__ void __launch_bounds__(kThreads) finish_cholesky(LinalgArgs args, const int* found) {
  const T* const factors = static_cast<const T*>(args.out);
  const GridPosition here;
  for (std::int64_t i = here.first; i < args.batch; i += here.step) {
    std::int64_t info = found[i];
    const std::int64_t good = info == 0 ? args.n : info - 1;
    for (std::int64_t j = good - 1; j >= 0; --j) {
      const T diagonal = factors[(i * args.n + j) * args.n + j];
      if (diagonal != diagonal) info = j + 1;
    }
    args.info[i] = info;
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    write_identity(T* out, std::int64_t count, std::int64_t n) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < count; i += here.step) {
    out[i] = i / n % n == i % n ? T(1) : T(0);
  }
}

/// True if one call of the library works on all matrices of the batch.
bool is_batched(const LinalgArgs& args) {
  return args.batch > 1 && args.batch <= std::numeric_limits<int>::max() && args.m == args.n &&
         args.n <= kLargestBatched;
}

/// The LU factors of the matrices, stored by column.
template <class T>
class LuFactors {
 public:
  /// Writes info, pivots and, if `determinants` is not null, the determinants.
  LuFactors(const LinalgArgs& args, Solver& solver, T* determinants)
      : args_(args),
        solver_(solver),
        context_(solver.context()),
        m_(args.m),
        n_(args.n),
        factors_(args, context_, m_ * n_),
        pivots_(args, context_, args.smaller()),
        info_(args, context_, 1) {
    copy_matrices(args, context_, m_, n_, args.a, by_row(m_, n_), factors_.get(),
                  by_column(m_, n_));
    if (!solver.is_ready()) return;
    if (is_batched(args)) {
      addresses_.emplace(args, context_, factors_.get(), n_ * n_);
      solver.call(
          for_type<T>(solver.library().cublasSgetrfBatched, solver.library().cublasDgetrfBatched),
          narrow(n_), addresses_->get(), narrow(n_), batch_pivots(), info_.get(),
          narrow(args.batch));
      finish(batch_pivots(), determinants);
      return;
    }
    const SolverLibrary& library = solver.library();
    const auto params = solver.handles().params;
    SolverWorkspace workspace(solver, library.cusolverDnXgetrf_bufferSize, params, m_, n_, kType,
                              factors_.get(), m_, kType);
    for (std::int64_t i = 0; i < args.batch; ++i) {
      solver.call(library.cusolverDnXgetrf, params, m_, n_, kType, factors_.at(i), m_,
                  pivots_.at(i), kType, workspace.device(), workspace.device_bytes(),
                  workspace.host(), workspace.host_bytes(), info_.at(i));
    }
    finish(pivots_.get(), determinants);
  }

  T* get() const { return factors_.get(); }

  /// Replaces `b` of n x columns elements, stored by column, by x with a x = b, or with a^T x = b
  /// if `transposed`.
  void solve(T* b, std::int64_t columns, bool transposed) {
    if (!solver_.is_ready()) return;
    const SolverLibrary& library = solver_.library();
    const cublasOperation_t form = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    if (is_batched(args_)) {
      const Addresses<T> right(args_, context_, b, n_ * columns);
      int arguments = 0;  // unlike other info, on the host and for all matrices
      solver_.call(for_type<T>(library.cublasSgetrsBatched, library.cublasDgetrsBatched), form,
                   narrow(n_), narrow(columns), addresses_->get(), narrow(n_), batch_pivots(),
                   right.get(), narrow(n_), &arguments, narrow(args_.batch));
      return;
    }
    for (std::int64_t i = 0; i < args_.batch; ++i) {
      solver_.call(library.cusolverDnXgetrs, solver_.handles().params, form, n_, columns, kType,
                   factors_.at(i), n_, pivots_.at(i), kType, b + i * n_ * columns, n_, info_.at(i));
    }
  }

 private:
  static constexpr cudaDataType kType = kSolverType<T>;

  static int narrow(std::int64_t size) { return static_cast<int>(size); }
  /// cuBLAS writes 32-bit pivots.
  int* batch_pivots() const { return reinterpret_cast<int*>(pivots_.get()); }

  template <class Pivot>
  void finish(Pivot* pivots, T* determinants) {
    launch(context_, finish_lu<T, Pivot>, blocks_for(args_.batch, kThreads), kThreads, args_,
           static_cast<const T*>(factors_.get()), pivots, determinants);
  }

  const LinalgArgs& args_;
  Solver& solver_;
  KernelContext& context_;
  const std::int64_t m_, n_;
  const BatchScratch<T> factors_;
  const BatchScratch<std::int64_t> pivots_;
  const LibraryInfo info_;
  std::optional<Addresses<T>> addresses_;
};

template <class T>
void run_lu(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t n = args.n;
  const auto out = static_cast<T*>(args.out);
  LuFactors<T> factors(args, solver, args.op == LinalgOp::kDeterminant ? out : nullptr);
  if (args.op == LinalgOp::kLu) {
    copy_matrices(args, context, args.m, n, factors.get(), by_column(args.m, n), out,
                  by_row(args.m, n));
  } else if (args.op == LinalgOp::kInverse) {
    // The columns of a^-T are the rows of a^-1.
    const std::int64_t count = args.batch * n * n;
    launch(context, write_identity<T>, blocks_for(count, kThreads), kThreads, out, count, n);
    factors.solve(out, n, /*transposed=*/true);
  } else if (args.op == LinalgOp::kSolve && args.columns != 0) {
    const std::int64_t columns = args.columns;
    const BatchScratch<T> x(args, context, n * columns);
    copy_matrices(args, context, n, columns, args.b, by_row(n, columns), x.get(),
                  by_column(n, columns));
    factors.solve(x.get(), columns, /*transposed=*/false);
    copy_matrices(args, context, n, columns, x.get(), by_column(n, columns), out,
                  by_row(n, columns));
  }
}

/// The lower triangle of a row-major matrix is the upper one of the matrix that the library sees.
template <class T>
void run_cholesky(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t n = args.n, count = args.batch * n * n;
  const auto out = static_cast<T*>(args.out);
  copy_matrices(args, context, n, n, args.a, by_row(n, n), out, by_row(n, n));
  const LibraryInfo info(args, context, 1);
  if (!solver.is_ready()) return;
  const SolverLibrary& library = solver.library();
  constexpr cublasFillMode_t kTriangle = CUBLAS_FILL_MODE_UPPER;
  if (is_batched(args)) {
    const Addresses<T> addresses(args, context, out, n * n);
    const int size = static_cast<int>(n);
    solver.call(for_type<T>(library.cusolverDnSpotrfBatched, library.cusolverDnDpotrfBatched),
                kTriangle, size, addresses.get(), size, info.get(), static_cast<int>(args.batch));
  } else {
    constexpr cudaDataType kType = kSolverType<T>;
    const auto params = solver.handles().params;
    SolverWorkspace workspace(solver, library.cusolverDnXpotrf_bufferSize, params, kTriangle, n,
                              kType, out, n, kType);
    for (std::int64_t i = 0; i < args.batch; ++i) {
      solver.call(library.cusolverDnXpotrf, params, kTriangle, n, kType, out + i * n * n, n, kType,
                  workspace.device(), workspace.device_bytes(), workspace.host(),
                  workspace.host_bytes(), info.at(i));
    }
  }
  launch(context, finish_cholesky<T>, blocks_for(args.batch, kThreads), kThreads, args,
         static_cast<const int*>(info.get()));
  launch(context, clear_triangle<T>, blocks_for(count, kThreads), kThreads, out, count, n, n,
         /*above=*/true);
}

/// Solves x^T a^T = b^T: the library sees the transposes of our matrices.
template <class T>
void run_triangular(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t n = args.n, columns = args.columns;
  if (columns == 0) return;
  const auto a = static_cast<const T*>(args.a);
  const auto out = static_cast<T*>(args.out);
  copy_matrices(args, context, n, columns, args.b, by_row(n, columns), out, by_row(n, columns));
  if (!solver.is_ready()) return;
  const SolverLibrary& library = solver.library();
  const auto triangle = args.upper != 0 ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
  const auto diagonal = args.unit != 0 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const int size = static_cast<int>(n), width = static_cast<int>(columns);
  const T one = 1;
  if (is_batched(args)) {
    const Addresses<const T> from(args, context, a, n * n);
    const Addresses<T> to(args, context, out, n * columns);
    solver.call(for_type<T>(library.cublasStrsmBatched, library.cublasDtrsmBatched),
                CUBLAS_SIDE_RIGHT, triangle, CUBLAS_OP_N, diagonal, width, size, &one, from.get(),
                size, to.get(), width, static_cast<int>(args.batch));
    return;
  }
  for (std::int64_t i = 0; i < args.batch; ++i) {
    solver.call(for_type<T>(library.cublasStrsm_v2, library.cublasDtrsm_v2), CUBLAS_SIDE_RIGHT,
                triangle, CUBLAS_OP_N, diagonal, width, size, &one, a + i * n * n, size,
                out + i * n * columns, width);
  }
}

template <class T>
void linalg_typed(const LinalgArgs& args, KernelContext& context) {
  if (args.batch == 0) return;
  fill_each(context, args.info, args.batch, std::int64_t{0});
  if (args.m == 0 || args.n == 0) {
    if (args.op == LinalgOp::kDeterminant) {
      fill_each(context, static_cast<T*>(args.out), args.batch, T(1));
    }
    return;
  }
  if (std::max({args.m, args.n, args.columns}) > std::numeric_limits<int>::max()) {
    return fail(context, StatusCode::kDeviceFault, "a matrix has 2^31 rows or columns, or more");
  }
  Solver solver(context);
  switch (args.op) {
    case LinalgOp::kCholesky:
      return run_cholesky<T>(args, solver);
    case LinalgOp::kTriangular:
      return run_triangular<T>(args, solver);
    case LinalgOp::kQr:
    case LinalgOp::kEigh:
    case LinalgOp::kSvd:
      return factor_matrices<T>(args, solver);
    default:
      return run_lu<T>(args, solver);
  }
}

void linalg(const LinalgArgs& args, KernelContext& context) {
  try {
    visit_floating(args.dtype, context,
                   [&](auto tag) { linalg_typed<typename decltype(tag)::type>(args, context); });
  } catch (const std::bad_alloc&) {
    fail(context, StatusCode::kOutOfMemory, "out of host memory");
  }
}

}  // namespace

void register_linalg(KernelTable& table) { set<LinalgArgs, linalg>(table); }

}  // namespace tern::cuda::device
