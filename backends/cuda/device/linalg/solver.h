#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include <tern/backends/cuda/device/linalg/library.h>
#include <tern/backends/cuda/device/runtime/relaxed_capture.h>
#include <tern/backends/cuda/device/support/scratch.h>

namespace tern::cuda::device {

using namespace kernels;

/// What cuSOLVER and cuBLAS need on one device.
struct SolverHandles {
  std::mutex mutex;
  cusolverDnHandle_t solver = nullptr;
  cublasHandle_t blas = nullptr;
  cusolverDnParams_t params = nullptr;
  syevjInfo_t eigh = nullptr;  // default tolerance and order, like the next one
  gesvdjInfo_t svd = nullptr;
};

/// Calls of cuSOLVER and cuBLAS on the stream of a context. Holds the handles of the device for
/// this scope. After a failure, which the context has, call() does nothing.
class Solver {
 public:
  explicit Solver(KernelContext& context);

  /// Calls a function, whose first argument is the handle of its library.
  template <class... Params, class... Args>
  void call(const SolverFunction<cusolverStatus_t(cusolverDnHandle_t, Params...)>& function,
            Args... args) {
    if (is_ready()) check(function.call(handles_->solver, args...), function.name);
  }
  template <class... Params, class... Args>
  void call(const SolverFunction<cublasStatus_t(cublasHandle_t, Params...)>& function,
            Args... args) {
    if (is_ready()) check(function.call(handles_->blas, args...), function.name);
  }

  /// Returns false if the library could not be opened or a call failed.
  bool is_ready() const { return context_.status == StatusCode::kOk; }
  KernelContext& context() const { return context_; }
  /// The functions and handles; valid if is_ready().
  const SolverLibrary& library() const { return *library_; }
  const SolverHandles& handles() const { return *handles_; }

 private:
  void open();
  void check(cusolverStatus_t status, const char* function);
  void check(cublasStatus_t status, const char* function);

  KernelContext& context_;
  const RelaxedCapture relaxed_;  // the first call of a kind loads its kernels
  const SolverLibrary* library_ = nullptr;
  SolverHandles* handles_ = nullptr;
  std::unique_lock<std::mutex> lock_;
};

/// Returns the function for elements of type T.
template <class T, class Single, class Double>
const auto& for_type(const Single& single, const Double& twice) {
  if constexpr (std::is_same_v<T, float>) {
    return single;
  } else {
    return twice;
  }
}

/// The type of the elements, for functions that are told it.
template <class T>
constexpr cudaDataType kSolverType = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_64F;

/// The workspaces of a function with an X in its name. The function reads the one on the host only
/// until it returns.
class SolverWorkspace {
 public:
  /// Asks for the sizes: calls `function`, which ends in _bufferSize.
  template <class Function, class... Args>
  SolverWorkspace(Solver& solver, const Function& function, Args... args) {
    std::size_t host_bytes = 0;
    solver.call(function, args..., &bytes_, &host_bytes);
    device_.emplace(solver.context(), bytes_ == 0 ? 1 : bytes_);
    host_.resize(host_bytes);
  }

  void* device() const { return device_->get<void>(); }
  std::size_t device_bytes() const { return bytes_; }
  void* host() { return host_.data(); }
  std::size_t host_bytes() const { return host_.size(); }

 private:
  std::size_t bytes_ = 0;
  std::optional<Scratch> device_;
  std::vector<char> host_;
};

}  // namespace tern::cuda::device
