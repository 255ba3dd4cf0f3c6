#include <tern/backends/cuda/device/linalg/solver.h>

#include <tern/backends/cuda/device/runtime/per_device.h>
#include <tern/backends/cuda/device/support/launch.h>

namespace tern::cuda::device {
namespace {

const char* solver_status_name(cusolverStatus_t status) {
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "CUSOLVER_STATUS_NOT_INITIALIZED";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "CUSOLVER_STATUS_ALLOC_FAILED";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "CUSOLVER_STATUS_INVALID_VALUE";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "CUSOLVER_STATUS_ARCH_MISMATCH";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "CUSOLVER_STATUS_EXECUTION_FAILED";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "CUSOLVER_STATUS_INTERNAL_ERROR";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "CUSOLVER_STATUS_NOT_SUPPORTED";
    default:
      return "an unknown cuSOLVER status";
  }
}

}  // namespace

Solver::Solver(KernelContext& context) : context_(context) {
  if (!is_ready()) return;
  library_ = solver_library(context);
  if (library_ == nullptr) return;
  handles_ = &per_device<SolverHandles>(context.device);
  lock_ = std::unique_lock(handles_->mutex);
  open();
  const auto stream = static_cast<cudaStream_t>(context.stream);
  call(library_->cusolverDnSetStream, stream);
  call(library_->cublasSetStream_v2, stream);
}

void Solver::open() {
  // Each step is done once; after a failure, the next scope goes on with it.
  const auto make = [this](const auto& function, auto& object) {
    if (is_ready() && object == nullptr) check(function.call(&object), function.name);
  };
  make(library_->cusolverDnCreate, handles_->solver);
  make(library_->cublasCreate_v2, handles_->blas);
  make(library_->cusolverDnCreateParams, handles_->params);
  make(library_->cusolverDnCreateSyevjInfo, handles_->eigh);
  make(library_->cusolverDnCreateGesvdjInfo, handles_->svd);
}

void Solver::check(cusolverStatus_t status, const char* function) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  fail_call(context_, function, solver_status_name(status), status == CUSOLVER_STATUS_ALLOC_FAILED);
}

void Solver::check(cublasStatus_t status, const char* function) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail_call(context_, function, library_->cublasGetStatusName.call(status),
            status == CUBLAS_STATUS_ALLOC_FAILED);
}

}  // namespace tern::cuda::device
