#include <cusolverDn.h>

#include <backends/cuda/emulator/cusolver_check.h>

// The functions of cuSOLVER and cuBLAS that exist once for float and once for double.

namespace tern::emulator {
namespace {

int typed_work_size(int m, int n) { return m + 3 * n + 5; }

template <class T>
cusolverStatus_t emulate_orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a, int lda,
                               const T* tau, T* work, int work_size, int* info) {
  check_handle(handle);
  require_rule(m >= n && n >= k && k > 0, "sizes that do not fit");
  const Columns<T> matrix{a, m, n, lda};
  matrix.check();
  check_device(tau, k);
  check_device(info, 1);
  use_workspace(work, work_size, typed_work_size(m, n));
  ++cusolver().calls;
  multiply_reflections(matrix, k, tau);
  *info = 0;
  return factor_status();
}

template <class T>
cusolverStatus_t emulate_potrf_batched(cusolverDnHandle_t handle, cublasFillMode_t triangle, int n,
                                       T** a, int lda, int* info, int batch) {
  check_handle(handle);
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER, "a lower triangle is not emulated");
  check_addresses(a, batch, std::int64_t{lda} * n, true);
  check_device(info, batch);
  ++cusolver().batched_calls;
  for (int i = 0; i < batch; ++i) {
    const Columns<T> matrix{a[i], n, n, lda};
    matrix.check();
    info[i] = factor_upper_cholesky(matrix);
  }
  return factor_status();
}

template <class T>
cusolverStatus_t emulate_syevj_batched(cusolverDnHandle_t handle, cusolverEigMode_t mode,
                                       cublasFillMode_t triangle, int n, T* a, int lda, T* values,
                                       T* work, int work_size, int* info, syevjInfo_t settings,
                                       int batch) {
  check_handle(handle);
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER, "a lower triangle is not emulated");
  require_rule(n <= kJacobiBatched && batch > 0 && settings != nullptr && values != nullptr,
               "wrong arguments");
  check_device(info, batch);
  use_workspace(work, work_size, typed_work_size(n, n) * batch);
  ++cusolver().batched_calls;
  for (int i = 0; i < batch; ++i) {
    const Columns<T> matrix{a + std::int64_t{i} * lda * n, n, n, lda};
    matrix.check();
    factor_upper_eigh(matrix, mode == CUSOLVER_EIG_MODE_VECTOR, values + i * n);
    info[i] = cusolver().never_converges ? n + 1 : 0;
  }
  return factor_status();
}

template <class T>
cusolverStatus_t emulate_gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode, int economic,
                                int m, int n, T* a, int lda, T* values, T* u, int ldu, T* v,
                                int ldv, T* work, int work_size, int* info, gesvdjInfo_t settings) {
  check_handle(handle);
  require_rule(settings != nullptr && values != nullptr, "wrong arguments");
  require_rule(economic == 0 || economic == 1, "econ is 0 or 1");
  const Columns<T> matrix{a, m, n, lda};
  const int k = std::min(m, n);
  const Columns<T> left{u, m, economic != 0 ? k : m, ldu}, right{v, n, economic != 0 ? k : n, ldv};
  for (const Columns<T>& each : {matrix, left, right}) each.check();
  check_device(info, 1);
  use_workspace(work, work_size, typed_work_size(m, n));
  ++cusolver().calls;
  factor_by_jacobi(matrix, mode == CUSOLVER_EIG_MODE_VECTOR, values, left, right);
  *info = cusolver().never_converges ? k + 1 : 0;
  return factor_status();
}

template <class T>
cusolverStatus_t emulate_gesvdj_batched(cusolverDnHandle_t handle, cusolverEigMode_t mode, int m,
                                        int n, T* a, int lda, T* values, T* u, int ldu, T* v,
                                        int ldv, T* work, int work_size, int* info,
                                        gesvdjInfo_t settings, int batch) {
  check_handle(handle);
  require_rule(std::max(m, n) <= kJacobiBatched && batch > 0 && settings != nullptr,
               "wrong arguments");
  check_device(info, batch);
  use_workspace(work, work_size, typed_work_size(m, n) * batch);
  ++cusolver().batched_calls;
  const int k = std::min(m, n);
  for (std::int64_t i = 0; i < batch; ++i) {
    const Columns<T> matrix{a + i * lda * n, m, n, lda};
    const Columns<T> left{u + i * ldu * m, m, m, ldu}, right{v + i * ldv * n, n, n, ldv};
    for (const Columns<T>& each : {matrix, left, right}) each.check();
    factor_by_jacobi(matrix, mode == CUSOLVER_EIG_MODE_VECTOR, values + i * k, left, right);
    info[i] = cusolver().never_converges ? k + 1 : 0;
  }
  return factor_status();
}

template <class T>
cublasStatus_t emulate_getrf_batched(cublasHandle_t handle, int n, T* const* a, int lda,
                                     int* pivots, int* info, int batch) {
  check_handle(handle);
  check_addresses(a, batch, std::int64_t{lda} * n, true);
  check_device(pivots, std::int64_t{n} * batch);
  check_device(info, batch);
  ++cusolver().batched_calls;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Columns<T> matrix{a[i], n, n, lda};
    matrix.check();
    info[i] = factor_by_rows(matrix, pivots + i * n);
  }
  return factor_status() == CUSOLVER_STATUS_SUCCESS ? CUBLAS_STATUS_SUCCESS
                                                    : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class T>
cublasStatus_t emulate_getrs_batched(cublasHandle_t handle, cublasOperation_t form, int n,
                                     int columns, const T* const* a, int lda, const int* pivots,
                                     T* const* b, int ldb, int* info, int batch) {
  check_handle(handle);
  check_addresses(a, batch, std::int64_t{lda} * n, false);
  check_addresses(b, batch, std::int64_t{ldb} * columns, true);
  check_device(pivots, std::int64_t{n} * batch);
  require_rule(info != nullptr && !is_scratch(info, 1), "the info of getrsBatched is on the host");
  ++cusolver().batched_calls;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Columns<const T> factors{a[i], n, n, lda};
    const Columns<T> right{b[i], n, columns, ldb};
    factors.check();
    right.check();
    solve_by_factors(factors, pivots + i * n, form == CUBLAS_OP_T, right);
  }
  *info = 0;
  return CUBLAS_STATUS_SUCCESS;
}

/// Replaces b of m x n elements by x with x a = b.
template <class T>
void solve_triangle(cublasSideMode_t side, cublasFillMode_t triangle, cublasOperation_t form,
                    cublasDiagType_t diagonal, int m, int n, const T* alpha, const T* a, int lda,
                    T* b, int ldb) {
  require_rule(side == CUBLAS_SIDE_RIGHT && form == CUBLAS_OP_N, "a form that is not emulated");
  require_rule(alpha != nullptr && *alpha == 1, "a factor that is not emulated");
  const Columns<const T> matrix{a, n, n, lda};
  const Columns<T> x{b, m, n, ldb};
  matrix.check();
  x.check();
  const bool upper = triangle == CUBLAS_FILL_MODE_UPPER;
  for (std::int64_t step = 0; step < n; ++step) {
    const std::int64_t j = upper ? step : n - 1 - step;
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = static_cast<double>(x(i, j));
      for (std::int64_t done = 0; done < step; ++done) {
        const std::int64_t k = upper ? done : n - 1 - done;
        sum -= static_cast<double>(x(i, k)) * static_cast<double>(matrix(k, j));
      }
      x(i, j) = static_cast<T>(
          diagonal == CUBLAS_DIAG_UNIT ? sum : sum / static_cast<double>(matrix(j, j)));
    }
  }
}

template <class T>
cublasStatus_t emulate_trsm_batched(cublasHandle_t handle, cublasSideMode_t side,
                                    cublasFillMode_t triangle, cublasOperation_t form,
                                    cublasDiagType_t diagonal, int m, int n, const T* alpha,
                                    const T* const* a, int lda, T* const* b, int ldb, int batch) {
  check_handle(handle);
  check_addresses(a, batch, std::int64_t{lda} * n, false);
  check_addresses(b, batch, std::int64_t{ldb} * n, true);
  ++cusolver().batched_calls;
  for (int i = 0; i < batch; ++i) {
    solve_triangle(side, triangle, form, diagonal, m, n, alpha, a[i], lda, b[i], ldb);
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace tern::emulator

using namespace tern::emulator;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  require_rule(handle != nullptr, "no handle of cuBLAS");
  handle->stream = stream;
  handle->has_stream = true;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) { return cublasLtGetStatusName(status); }

#define TERN_EMULATED_SOLVER(S, T)                                                                 \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int,   \
                                                   const T*, int, const T*, int* work_size) {      \
    check_handle(handle);                                                                          \
    *work_size = typed_work_size(m, n);                                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,      \
                                        int lda, const T* tau, T* work, int work_size,             \
                                        int* info) {                                               \
    return emulate_orgqr(handle, m, n, k, a, lda, tau, work, work_size, info);                     \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t handle,                          \
                                               cublasFillMode_t triangle, int n, T* a[], int lda,  \
                                               int* info, int batch) {                             \
    return emulate_potrf_batched(handle, triangle, n, a, lda, info, batch);                        \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevjBatched_bufferSize(                                         \
      cusolverDnHandle_t handle, cusolverEigMode_t, cublasFillMode_t, int n, const T*, int,        \
      const T*, int* work_size, syevjInfo_t, int batch) {                                          \
    check_handle(handle);                                                                          \
    *work_size = typed_work_size(n, n) * batch;                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##syevjBatched(                                                    \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t triangle, int n, T* a,   \
      int lda, T* values, T* work, int work_size, int* info, syevjInfo_t settings, int batch) {    \
    return emulate_syevj_batched(handle, mode, triangle, n, a, lda, values, work, work_size, info, \
                                 settings, batch);                                                 \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(                                               \
      cusolverDnHandle_t handle, cusolverEigMode_t, int, int m, int n, const T*, int, const T*,    \
      const T*, int, const T*, int, int* work_size, gesvdjInfo_t) {                                \
    check_handle(handle);                                                                          \
    *work_size = typed_work_size(m, n);                                                            \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode,        \
                                         int economic, int m, int n, T* a, int lda, T* values,     \
                                         T* u, int ldu, T* v, int ldv, T* work, int work_size,     \
                                         int* info, gesvdjInfo_t settings) {                       \
    return emulate_gesvdj(handle, mode, economic, m, n, a, lda, values, u, ldu, v, ldv, work,      \
                          work_size, info, settings);                                              \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched_bufferSize(                                        \
      cusolverDnHandle_t handle, cusolverEigMode_t, int m, int n, const T*, int, const T*,         \
      const T*, int, const T*, int, int* work_size, gesvdjInfo_t, int batch) {                     \
    check_handle(handle);                                                                          \
    *work_size = typed_work_size(m, n) * batch;                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  cusolverStatus_t cusolverDn##S##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, \
                                                int m, int n, T* a, int lda, T* values, T* u,      \
                                                int ldu, T* v, int ldv, T* work, int work_size,    \
                                                int* info, gesvdjInfo_t settings, int batch) {     \
    return emulate_gesvdj_batched(handle, mode, m, n, a, lda, values, u, ldu, v, ldv, work,        \
                                  work_size, info, settings, batch);                               \
  }                                                                                                \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int batch) {                      \
    return emulate_getrf_batched(handle, n, a, lda, pivots, info, batch);                          \
  }                                                                                                \
  cublasStatus_t cublas##S##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t form, int n, int columns, const T* const a[],       \
      int lda, const int* pivots, T* const b[], int ldb, int* info, int batch) {                   \
    return emulate_getrs_batched(handle, form, n, columns, a, lda, pivots, b, ldb, info, batch);   \
  }                                                                                                \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t triangle, cublasOperation_t form,             \
                                    cublasDiagType_t diagonal, int m, int n, const T* alpha,       \
                                    const T* a, int lda, T* b, int ldb) {                          \
    check_handle(handle);                                                                          \
    ++cusolver().calls;                                                                            \
    solve_triangle(side, triangle, form, diagonal, m, n, alpha, a, lda, b, ldb);                   \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  cublasStatus_t cublas##S##trsmBatched(                                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,                     \
      cublasOperation_t form, cublasDiagType_t diagonal, int m, int n, const T* alpha,             \
      const T* const a[], int lda, T* const b[], int ldb, int batch) {                             \
    return emulate_trsm_batched(handle, side, triangle, form, diagonal, m, n, alpha, a, lda, b,    \
                                ldb, batch);                                                       \
  }
TERN_EMULATED_SOLVER(S, float)
TERN_EMULATED_SOLVER(D, double)
#undef TERN_EMULATED_SOLVER

}  // extern "C"
