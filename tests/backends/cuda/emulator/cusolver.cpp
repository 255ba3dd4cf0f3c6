#include <cusolverDn.h>

#include <iterator>
#include <map>
#include <mutex>

#include <backends/cuda/emulator/cusolver_check.h>

// Handles and the functions of cuSOLVER for one matrix of any size, whose names have an X.

namespace tern::emulator {
namespace {

struct ScratchBlocks {
  std::mutex mutex;
  std::map<const char*, std::size_t> bytes;
};
ScratchBlocks& scratch_blocks() {
  static ScratchBlocks& blocks = *new ScratchBlocks;
  return blocks;
}

cusolverStatus_t ask_workspace(cusolverDnHandle_t handle, cusolverDnParams_t params,
                               std::int64_t rows, std::int64_t columns, const void* a,
                               std::int64_t lda, std::size_t* device_bytes,
                               std::size_t* host_bytes) {
  check_handle(handle);
  require_rule(params != nullptr, "no params");
  require_rule(a != nullptr && rows > 0 && columns > 0 && lda >= rows, "a wrong matrix");
  *device_bytes = device_workspace(rows, columns);
  *host_bytes = host_workspace(rows);
  return CUSOLVER_STATUS_SUCCESS;
}

/// Checks what factorizations share, and returns the matrix.
template <class T>
Columns<T> begin_factor(cusolverDnHandle_t handle, cusolverDnParams_t params, std::int64_t rows,
                        std::int64_t columns, void* a, std::int64_t lda, int* info) {
  check_handle(handle);
  require_rule(params != nullptr, "no params");
  check_device(info, 1);
  ++cusolver().calls;
  const Columns<T> matrix{static_cast<T*>(a), rows, columns, lda};
  matrix.check();
  return matrix;
}

}  // namespace

Cusolver& cusolver() {
  static Cusolver& state = *new Cusolver;
  return state;
}

void add_scratch(const void* block, std::size_t bytes) {
  ScratchBlocks& blocks = scratch_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.bytes[static_cast<const char*>(block)] = bytes;
}

void remove_scratch(const void* block) {
  ScratchBlocks& blocks = scratch_blocks();
  const std::lock_guard lock(blocks.mutex);
  blocks.bytes.erase(static_cast<const char*>(block));
}

bool is_scratch(const void* memory, std::size_t bytes) {
  ScratchBlocks& blocks = scratch_blocks();
  const std::lock_guard lock(blocks.mutex);
  const char* const first = static_cast<const char*>(memory);
  const auto next = blocks.bytes.upper_bound(first);
  if (memory == nullptr || next == blocks.bytes.begin()) return false;
  const auto& [start, size] = *std::prev(next);
  return first + bytes <= start + size;
}

}  // namespace tern::emulator

using namespace tern::emulator;

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  const auto status = static_cast<cusolverStatus_t>(cusolver().create_status.load());
  if (status == CUSOLVER_STATUS_SUCCESS) *handle = new cusolverDnContext;
  return status;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  require_rule(handle != nullptr, "no handle");
  handle->stream = stream;
  handle->has_stream = true;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  *params = new cusolverDnParams;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info) {
  *info = new syevjInfo;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) {
  *info = new gesvdjInfo;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type,
                                             const void* a, std::int64_t lda, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  visit_solver_type(type, type, compute, [](auto) {});
  return ask_workspace(handle, params, m, n, a, lda, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t lda, std::int64_t* pivots, cudaDataType compute,
                                  void* device, std::size_t device_bytes, void* host,
                                  std::size_t host_bytes, int* info) {
  visit_solver_type(type, type, compute, [&]<class T>(T*) {
    const Columns<T> matrix = begin_factor<T>(handle, params, m, n, a, lda, info);
    check_device(pivots, std::min(m, n));
    use_workspaces(device, device_bytes, host, host_bytes, m, n);
    *info = factor_by_rows(matrix, pivots);
  });
  return factor_status();
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasOperation_t form, std::int64_t n, std::int64_t columns,
                                  cudaDataType a_type, const void* a, std::int64_t lda,
                                  const std::int64_t* pivots, cudaDataType b_type, void* b,
                                  std::int64_t ldb, int* info) {
  visit_solver_type(a_type, b_type, a_type, [&]<class T>(T*) {
    const Columns<T> right = begin_factor<T>(handle, params, n, columns, b, ldb, info);
    const Columns<const T> factors{static_cast<const T*>(a), n, n, lda};
    factors.check();
    check_device(pivots, n);
    solve_by_factors(factors, pivots, form == CUBLAS_OP_T, right);
    *info = 0;
  });
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cublasFillMode_t triangle, std::int64_t n,
                                             cudaDataType type, const void* a, std::int64_t lda,
                                             cudaDataType compute, std::size_t* device_bytes,
                                             std::size_t* host_bytes) {
  visit_solver_type(type, type, compute, [](auto) {});
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER, "a lower triangle is not emulated");
  return ask_workspace(handle, params, n, n, a, lda, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cublasFillMode_t triangle, std::int64_t n, cudaDataType type,
                                  void* a, std::int64_t lda, cudaDataType compute, void* device,
                                  std::size_t device_bytes, void* host, std::size_t host_bytes,
                                  int* info) {
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER, "a lower triangle is not emulated");
  visit_solver_type(type, type, compute, [&]<class T>(T*) {
    const Columns<T> matrix = begin_factor<T>(handle, params, n, n, a, lda, info);
    use_workspaces(device, device_bytes, host, host_bytes, n, n);
    *info = factor_upper_cholesky(matrix);
  });
  return factor_status();
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             std::int64_t m, std::int64_t n, cudaDataType type,
                                             const void* a, std::int64_t lda, cudaDataType tau_type,
                                             const void* tau, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  visit_solver_type(type, tau_type, compute, [](auto) {});
  require_rule(tau != nullptr, "no tau");
  return ask_workspace(handle, params, m, n, a, lda, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  std::int64_t m, std::int64_t n, cudaDataType type, void* a,
                                  std::int64_t lda, cudaDataType tau_type, void* tau,
                                  cudaDataType compute, void* device, std::size_t device_bytes,
                                  void* host, std::size_t host_bytes, int* info) {
  visit_solver_type(type, tau_type, compute, [&]<class T>(T*) {
    const Columns<T> matrix = begin_factor<T>(handle, params, m, n, a, lda, info);
    check_device(static_cast<T*>(tau), std::min(m, n));
    use_workspaces(device, device_bytes, host, host_bytes, m, n);
    factor_by_reflections(matrix, static_cast<T*>(tau));
    *info = 0;
  });
  return factor_status();
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                             cusolverEigMode_t, cublasFillMode_t triangle,
                                             std::int64_t n, cudaDataType type, const void* a,
                                             std::int64_t lda, cudaDataType values_type,
                                             const void* values, cudaDataType compute,
                                             std::size_t* device_bytes, std::size_t* host_bytes) {
  visit_solver_type(type, values_type, compute, [](auto) {});
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER && values != nullptr, "wrong arguments");
  return ask_workspace(handle, params, n, n, a, lda, device_bytes, host_bytes);
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params,
                                  cusolverEigMode_t mode, cublasFillMode_t triangle, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t lda,
                                  cudaDataType values_type, void* values, cudaDataType compute,
                                  void* device, std::size_t device_bytes, void* host,
                                  std::size_t host_bytes, int* info) {
  require_rule(triangle == CUBLAS_FILL_MODE_UPPER && values != nullptr, "wrong arguments");
  visit_solver_type(type, values_type, compute, [&]<class T>(T*) {
    const Columns<T> matrix = begin_factor<T>(handle, params, n, n, a, lda, info);
    use_workspaces(device, device_bytes, host, host_bytes, n, n);
    factor_upper_eigh(matrix, mode == CUSOLVER_EIG_MODE_VECTOR, static_cast<T*>(values));
    *info = cusolver().never_converges ? 1 : 0;
  });
  return factor_status();
}

}  // extern "C"
