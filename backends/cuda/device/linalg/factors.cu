#include <tern/backends/cuda/device/linalg/matrices.h>

#include <algorithm>
#include <limits>

namespace tern::cuda::device {
namespace {

/// The info of a matrix with NaN or an infinity, of which the library gets zeros instead: its
/// iterations are not specified for NaN.
constexpr std::int64_t kNotFinite = 2;

/// Marks row-major matrices with elements that are not finite, of the lower triangle if `lower`.
template <class T>
__global__ void __launch_bounds__(kThreads)
    mark_not_finite(LinalgArgs args, const T* matrices, bool lower) {
  const std::int64_t count = args.batch * args.m * args.n;
  const GridPosition here;
  for (std::int64_t i = here.first; i < count; i += here.step) {
    if (lower && i % args.n > i / args.n % args.m) continue;
    const T difference = matrices[i] - matrices[i];  // NaN unless finite
    if (difference != T(0)) args.info[i / args.n / args.m] = kNotFinite;
  }
}

/// Sets the elements of marked matrices.
template <class T>
__global__ void __launch_bounds__(kThreads)
    set_marked(T* out, const std::int64_t* info, std::int64_t batch, std::int64_t size, T value) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < batch * size; i += here.step) {
    if (info[i / size] == kNotFinite) out[i] = value;
  }
}

/// Writes the info where the library worked on the matrix itself, one thread per matrix.
/// `marked` is the info of the others.
__global__ void __launch_bounds__(kThreads)
    finish_iteration(std::int64_t* info, const int* found, std::int64_t batch,
                     std::int64_t marked) {
  const GridPosition here;
  for (std::int64_t i = here.first; i < batch; i += here.step) {
    info[i] = info[i] == kNotFinite ? marked : found[i] != 0 ? 1 : 0;
  }
}

template <class T>
void fill_marked(const LinalgArgs& args, KernelContext& context, void* out, std::int64_t size,
                 T value) {
  launch(context, set_marked<T>, blocks_for(args.batch * size, kThreads), kThreads,
         static_cast<T*>(out), static_cast<const std::int64_t*>(args.info), args.batch, size,
         value);
}

void finish(const LinalgArgs& args, KernelContext& context, const LibraryInfo& found,
            std::int64_t marked) {
  launch(context, finish_iteration, blocks_for(args.batch, kThreads), kThreads, args.info,
         static_cast<const int*>(found.get()), args.batch, marked);
}

/// Copies row-major matrices for an iteration. Zeros replace those that are not finite.
template <class T>
void copy_finite(const LinalgArgs& args, KernelContext& context, T* out, bool lower) {
  const std::int64_t size = args.m * args.n;
  copy_matrices(args, context, args.m, args.n, args.a, by_row(args.m, args.n), out,
                by_row(args.m, args.n));
  launch(context, mark_not_finite<T>, blocks_for(args.batch * size, kThreads), kThreads, args,
         static_cast<const T*>(out), lower);
  fill_marked(args, context, out, size, T(0));
}

bool is_jacobi_batched(const LinalgArgs& args) {
  return args.batch > 1 && args.batch <= std::numeric_limits<int>::max() &&
         std::max(args.m, args.n) <= kLargestJacobiBatched;
}

template <class T>
void run_qr(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t m = args.m, n = args.n, q = args.columns, width = std::max(n, q);
  const BatchScratch<T> factors(args, context, m * width), tau(args, context, args.smaller());
  const LibraryInfo info(args, context, 1);
  copy_matrices(args, context, m, n, args.a, by_row(m, n), factors.get(), by_column(m, width));
  if (!solver.is_ready()) return;
  const SolverLibrary& library = solver.library();
  constexpr cudaDataType kType = kSolverType<T>;
  const auto params = solver.handles().params;
  SolverWorkspace workspace(solver, library.cusolverDnXgeqrf_bufferSize, params, m, n, kType,
                            factors.get(), m, kType, tau.get(), kType);
  for (std::int64_t i = 0; i < args.batch; ++i) {
    solver.call(library.cusolverDnXgeqrf, params, m, n, kType, factors.at(i), m, kType, tau.at(i),
                kType, workspace.device(), workspace.device_bytes(), workspace.host(),
                workspace.host_bytes(), info.at(i));
  }
  const auto r = static_cast<T*>(args.second);
  copy_matrices(args, context, q, n, factors.get(), by_column(m, width), r, by_row(q, n));
  const std::int64_t count = args.batch * q * n;
  launch(context, clear_triangle<T>, blocks_for(count, kThreads), kThreads, r, count, q, n,
         /*above=*/false);
  if (args.out == nullptr) return;
  const int rows = static_cast<int>(m), columns = static_cast<int>(q),
            reflections = static_cast<int>(args.smaller());
  int work_size = 0;
  solver.call(for_type<T>(library.cusolverDnSorgqr_bufferSize, library.cusolverDnDorgqr_bufferSize),
              rows, columns, reflections, factors.get(), rows, tau.get(), &work_size);
  const Work<T> work(context, work_size);
  for (std::int64_t i = 0; i < args.batch; ++i) {
    solver.call(for_type<T>(library.cusolverDnSorgqr, library.cusolverDnDorgqr), rows, columns,
                reflections, factors.at(i), rows, tau.at(i), work.get(), work_size, info.at(i));
  }
  copy_matrices(args, context, m, q, factors.get(), by_column(m, width), args.out, by_row(m, q));
}

/// The lower triangle of a row-major matrix is the upper one of the matrix that the library sees.
template <class T>
void run_eigh(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t n = args.n;
  const auto values = static_cast<T*>(args.out);
  const BatchScratch<T> vectors(args, context, n * n);
  const LibraryInfo info(args, context, 1);
  copy_finite(args, context, vectors.get(), /*lower=*/true);
  if (!solver.is_ready()) return;
  const SolverLibrary& library = solver.library();
  constexpr cublasFillMode_t kTriangle = CUBLAS_FILL_MODE_UPPER;
  const auto mode = args.second != nullptr ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  if (is_jacobi_batched(args)) {
    const int size = static_cast<int>(n), batch = static_cast<int>(args.batch);
    const auto settings = solver.handles().eigh;
    int work_size = 0;
    solver.call(for_type<T>(library.cusolverDnSsyevjBatched_bufferSize,
                            library.cusolverDnDsyevjBatched_bufferSize),
                mode, kTriangle, size, vectors.get(), size, values, &work_size, settings, batch);
    const Work<T> work(context, work_size);
    solver.call(for_type<T>(library.cusolverDnSsyevjBatched, library.cusolverDnDsyevjBatched), mode,
                kTriangle, size, vectors.get(), size, values, work.get(), work_size, info.get(),
                settings, batch);
  } else {
    constexpr cudaDataType kType = kSolverType<T>;
    const auto params = solver.handles().params;
    SolverWorkspace workspace(solver, library.cusolverDnXsyevd_bufferSize, params, mode, kTriangle,
                              n, kType, vectors.get(), n, kType, values, kType);
    for (std::int64_t i = 0; i < args.batch; ++i) {
      solver.call(library.cusolverDnXsyevd, params, mode, kTriangle, n, kType, vectors.at(i), n,
                  kType, values + i * n, kType, workspace.device(), workspace.device_bytes(),
                  workspace.host(), workspace.host_bytes(), info.at(i));
    }
  }
  const T nan = std::numeric_limits<T>::quiet_NaN();
  fill_marked(args, context, values, n, nan);
  if (args.second != nullptr) {
    copy_matrices(args, context, n, n, vectors.get(), by_column(n, n), args.second, by_row(n, n));
    fill_marked(args, context, args.second, n * n, nan);
  }
  finish(args, context, info, /*marked=*/0);
}

/// The library sees a^T = v s u^T: its left vectors are v, and its right ones u.
template <class T>
void run_svd(const LinalgArgs& args, Solver& solver) {
  KernelContext& context = solver.context();
  const std::int64_t m = args.m, n = args.n, k = args.smaller();
  const bool is_batched = is_jacobi_batched(args);
  // The function for batches gives all vectors. Without vectors, the library still gets space.
  const bool is_full = args.full != 0 || is_batched;
  const std::int64_t v_columns = is_full ? n : k, u_columns = is_full ? m : k;
  const auto values = static_cast<T*>(args.out);
  const BatchScratch<T> a(args, context, m * n), u(args, context, m * u_columns),
      v(args, context, n * v_columns);
  const LibraryInfo info(args, context, 1);
  copy_finite(args, context, a.get(), /*lower=*/false);
  if (!solver.is_ready()) return;
  const SolverLibrary& library = solver.library();
  const auto mode = args.second != nullptr ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const auto settings = solver.handles().svd;
  const int rows = static_cast<int>(n), columns = static_cast<int>(m);
  const int batch = static_cast<int>(args.batch);
  int work_size = 0;
  if (is_batched) {
    solver.call(for_type<T>(library.cusolverDnSgesvdjBatched_bufferSize,
                            library.cusolverDnDgesvdjBatched_bufferSize),
                mode, rows, columns, a.get(), rows, values, v.get(), rows, u.get(), columns,
                &work_size, settings, batch);
    const Work<T> work(context, work_size);
    solver.call(for_type<T>(library.cusolverDnSgesvdjBatched, library.cusolverDnDgesvdjBatched),
                mode, rows, columns, a.get(), rows, values, v.get(), rows, u.get(), columns,
                work.get(), work_size, info.get(), settings, batch);
  } else {
    const int economic = is_full ? 0 : 1;
    solver.call(
        for_type<T>(library.cusolverDnSgesvdj_bufferSize, library.cusolverDnDgesvdj_bufferSize),
        mode, economic, rows, columns, a.get(), rows, values, v.get(), rows, u.get(), columns,
        &work_size, settings);
    const Work<T> work(context, work_size);
    for (std::int64_t i = 0; i < args.batch; ++i) {
      solver.call(for_type<T>(library.cusolverDnSgesvdj, library.cusolverDnDgesvdj), mode, economic,
                  rows, columns, a.at(i), rows, values + i * k, v.at(i), rows, u.at(i), columns,
                  work.get(), work_size, info.at(i), settings);
    }
  }
  if (args.second != nullptr) {
    const std::int64_t u_out = args.full != 0 ? m : k, v_out = args.full != 0 ? n : k;
    copy_matrices(args, context, m, u_out, u.get(), by_column(m, u_columns), args.second,
                  by_row(m, u_out));
    // The columns of v are the rows of v^T.
    copy_matrices(args, context, v_out, n, v.get(), by_row(v_columns, n), args.third,
                  by_row(v_out, n));
  }
  finish(args, context, info, /*marked=*/kNotFinite);
}

}  // namespace

template <class T>
void factor_matrices(const LinalgArgs& args, Solver& solver) {
  if (args.op == LinalgOp::kQr) return run_qr<T>(args, solver);
  args.op == LinalgOp::kEigh ? run_eigh<T>(args, solver) : run_svd<T>(args, solver);
}

template void factor_matrices<float>(const LinalgArgs& args, Solver& solver);
template void factor_matrices<double>(const LinalgArgs& args, Solver& solver);

}  // namespace tern::cuda::device
