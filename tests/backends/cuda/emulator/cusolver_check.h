#pragma once

#include <cusolverDn.h>

#include <cstring>

#include <backends/cuda/emulator/solver_matrix.h>

// Checks that all functions of the replacement for cuSOLVER share.

namespace tern::emulator {

inline constexpr int kJacobiBatched = 32;  // the largest matrix of syevjBatched and gesvdjBatched

inline void check_handle(cusolverDnHandle_t handle) {
  require_rule(handle != nullptr && handle->has_stream, "no handle, or no stream");
  finish(handle->stream);
}
inline void check_handle(cublasHandle_t handle) {
  require_rule(handle != nullptr && handle->has_stream, "no handle of cuBLAS, or no stream");
  finish(handle->stream);
}

inline cusolverStatus_t factor_status() {
  return static_cast<cusolverStatus_t>(cusolver().factor_status.load());
}

/// Checks an array that our kernels keep in Scratch: workspaces, info, pivots and addresses.
template <class T>
void check_device(T* array, std::int64_t count) {
  require_rule(is_scratch(array, static_cast<std::size_t>(count) * sizeof(T)),
               "an array is too small, or not in device memory");
}

/// Checks the workspace and destroys what it holds.
template <class T>
void use_workspace(T* work, std::int64_t given, std::int64_t needed) {
  require_rule(given >= needed, "the workspace is smaller than the library asked for");
  check_device(work, given);
  std::memset(static_cast<void*>(work), 0xff, static_cast<std::size_t>(given) * sizeof(T));
}
/// The sizes of the workspaces of functions with an X in their name.
inline std::size_t device_workspace(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(8 * (rows + 3 * columns) + 16);
}
inline std::size_t host_workspace(std::int64_t rows) {
  return static_cast<std::size_t>(rows % 2 == 0 ? 0 : 8 * rows);  // some need none
}
inline void use_workspaces(void* device, std::size_t device_bytes, void* host,
                           std::size_t host_bytes, std::int64_t rows, std::int64_t columns) {
  use_workspace(static_cast<char*>(device), static_cast<std::int64_t>(device_bytes),
                static_cast<std::int64_t>(device_workspace(rows, columns)));
  require_rule(host_bytes >= host_workspace(rows), "the workspace on the host is too small");
  require_rule(host_bytes == 0 || !is_scratch(host, 1), "a workspace of the host on the device");
  if (host_bytes > 0) std::memset(host, 0xff, host_bytes);
}

/// Checks the addresses of a batch of matrices that may not overlap if they are written.
template <class T>
void check_addresses(T* const* addresses, int batch, std::int64_t elements, bool written) {
  require_rule(batch > 0, "an empty batch");
  check_device(addresses, batch);
  std::vector<T*> sorted(addresses, addresses + batch);
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < batch; ++i) {
    require_rule(sorted[static_cast<std::size_t>(i)] != nullptr, "a matrix is null");
    require_rule(
        !written || i == 0 ||
            sorted[static_cast<std::size_t>(i)] - sorted[static_cast<std::size_t>(i - 1)] >=
                elements,
        "matrices of a batch overlap");
  }
}

/// Calls `visit` with a null pointer of the type.
template <class Visit>
void visit_solver_type(cudaDataType type, cudaDataType other, cudaDataType compute,
                       const Visit& visit) {
  require_rule(type == other && type == compute, "types that differ");
  require_rule(type == CUDA_R_32F || type == CUDA_R_64F, "a type that is not float or double");
  type == CUDA_R_32F ? visit(static_cast<float*>(nullptr)) : visit(static_cast<double*>(nullptr));
}

}  // namespace tern::emulator
