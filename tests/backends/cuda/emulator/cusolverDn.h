#pragma once

#include <cublasLt.h>

#include <cstddef>
#include <cstdint>

#include <backends/cuda/emulator/cusolver.h>

// Replaces cuSOLVER's header, and cuBLAS's for linear algebra, as cublasLt.h replaces that of
// cuBLASLt. cusolver.h describes the behaviour.

/// The functions are found in the library of the emulator, which is loaded already.
#define TERN_SOLVER_LIBRARY "libtern_cuda_emulated.so"

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_ARCH_MISMATCH = 4,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_INTERNAL_ERROR = 7,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
};
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };

struct cusolverDnContext {
  bool has_stream = false;
  cudaStream_t stream = nullptr;
};
struct cublasContext {
  bool has_stream = false;
  cudaStream_t stream = nullptr;
};
struct cusolverDnParams {};
struct syevjInfo {};
struct gesvdjInfo {};
using cusolverDnHandle_t = cusolverDnContext*;
using cublasHandle_t = cublasContext*;
using cusolverDnParams_t = cusolverDnParams*;
using syevjInfo_t = syevjInfo*;
using gesvdjInfo_t = gesvdjInfo*;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params);
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info);
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info);
cublasStatus_t cublasCreate_v2(cublasHandle_t* handle);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
const char* cublasGetStatusName(cublasStatus_t status);

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type,
                                             const void* a, std::int64_t lda, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t lda, std::int64_t* pivots, cudaDataType compute,
                                  void* device, std::size_t device_bytes, void* host,
                                  std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t form, std::int64_t n, std::int64_t columns,
                                  cudaDataType a_type, const void* a, std::int64_t lda,
                                  const std::int64_t* pivots, cudaDataType b_type, void* b,
                                  std::int64_t ldb, int* info);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t triangle, std::int64_t n,
                                             cudaDataType type, const void* a, std::int64_t lda,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t triangle, std::int64_t n, cudaDataType type,
                                  void* a, std::int64_t lda, cudaDataType compute, void* device,
                                  std::size_t device_bytes, void* host, std::size_t host_bytes,
                                  int* info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type,
                                             const void* a, std::int64_t lda, cudaDataType tau_type,
                                             const void* tau, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute, void* device, std::size_t device_bytes,
                                  void* host, std::size_t host_bytes, int* info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t mode, cublasFillMode_t triangle,
                                             std::int64_t n, cudaDataType type, const void* a,
                                             std::int64_t lda, cudaDataType values_type,
                                             const void* values, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t triangle, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t lda,
                                  cudaDataType values_type, void* values, cudaDataType compute,
                                  void* device, std::size_t device_bytes, void* host,
                                  std::size_t host_bytes, int* info);

/// The functions that exist once for float and once for double.
#define TERN_EMULATED_SOLVER(S, T)                                                                 \
  cusolverStatus_t cusolverDn##S##orgqr_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, \
                                                   const T* a, int lda, const T* tau,              \
                                                   int* work_size);                                \
  cusolverStatus_t cusolverDn##S##orgqr(cusolverDnHandle_t handle, int m, int n, int k, T* a,      \
                                        int lda, const T* tau, T* work, int work_size, int* info); \
  cusolverStatus_t cusolverDn##S##potrfBatched(cusolverDnHandle_t handle,                          \
                                               cublasFillMode_t triangle, int n, T* a[], int lda,  \
                                               int* info, int batch);                              \
  cusolverStatus_t cusolverDn##S##syevjBatched_bufferSize(                                         \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t triangle, int n,         \
      const T* a, int lda, const T* values, int* work_size, syevjInfo_t settings, int batch);      \
  cusolverStatus_t cusolverDn##S##syevjBatched(                                                    \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, cublasFillMode_t triangle, int n, T* a,   \
      int lda, T* values, T* work, int work_size, int* info, syevjInfo_t settings, int batch);     \
  cusolverStatus_t cusolverDn##S##gesvdj_bufferSize(                                               \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int economic, int m, int n, const T* a,   \
      int lda, const T* values, const T* u, int ldu, const T* v, int ldv, int* work_size,          \
      gesvdjInfo_t settings);                                                                      \
  cusolverStatus_t cusolverDn##S##gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t mode,        \
                                         int economic, int m, int n, T* a, int lda, T* values,     \
                                         T* u, int ldu, T* v, int ldv, T* work, int work_size,     \
                                         int* info, gesvdjInfo_t settings);                        \
  cusolverStatus_t cusolverDn##S##gesvdjBatched_bufferSize(                                        \
      cusolverDnHandle_t handle, cusolverEigMode_t mode, int m, int n, const T* a, int lda,        \
      const T* values, const T* u, int ldu, const T* v, int ldv, int* work_size,                   \
      gesvdjInfo_t settings, int batch);                                                           \
  cusolverStatus_t cusolverDn##S##gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t mode, \
                                                int m, int n, T* a, int lda, T* values, T* u,      \
                                                int ldu, T* v, int ldv, T* work, int work_size,    \
                                                int* info, gesvdjInfo_t settings, int batch);      \
  cublasStatus_t cublas##S##getrfBatched(cublasHandle_t handle, int n, T* const a[], int lda,      \
                                         int* pivots, int* info, int batch);                       \
  cublasStatus_t cublas##S##getrsBatched(                                                          \
      cublasHandle_t handle, cublasOperation_t form, int n, int columns, const T* const a[],       \
      int lda, const int* pivots, T* const b[], int ldb, int* info, int batch);                    \
  cublasStatus_t cublas##S##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                  \
                                    cublasFillMode_t triangle, cublasOperation_t form,             \
                                    cublasDiagType_t diagonal, int m, int n, const T* alpha,       \
                                    const T* a, int lda, T* b, int ldb);                           \
  cublasStatus_t cublas##S##trsmBatched(                                                           \
      cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t triangle,                     \
      cublasOperation_t form, cublasDiagType_t diagonal, int m, int n, const T* alpha,             \
      const T* const a[], int lda, T* const b[], int ldb, int batch);
TERN_EMULATED_SOLVER(S, float)
TERN_EMULATED_SOLVER(D, double)
#undef TERN_EMULATED_SOLVER

}  // extern "C"
