#include <tern/backends/cuda/device/linalg/library.h>

#include <cstdio>
#include <mutex>
#include <optional>

#include <tern/backends/cuda/device/runtime/shared_library.h>

// The library of the toolkit with which this file is compiled. cuSOLVER itself needs cuBLAS, so
// its handle finds the functions of both.
#ifndef TERN_SOLVER_LIBRARY  // the emulator names its own
#define TERN_TEXT_OF(number) #number
#define TERN_SOLVER_LIBRARY_OF(version) "libcusolver.so." TERN_TEXT_OF(version)
#define TERN_SOLVER_LIBRARY TERN_SOLVER_LIBRARY_OF(CUSOLVER_VER_MAJOR)
#endif

namespace tern::cuda::device {

bool open_solver_library(const char* file, SolverLibrary* library,
                         kernels::KernelContext& context) {
  SharedLibrary opened(file);
#define TERN_SOLVER_FUNCTION(function) opened.find(#function, library->function.call);
  TERN_SOLVER_FUNCTIONS(TERN_SOLVER_FUNCTION)
#undef TERN_SOLVER_FUNCTION
  if (opened.is_complete()) return true;
  const char* const reason = dlerror();
  context.status = kernels::StatusCode::kDeviceFault;
  std::snprintf(context.message, sizeof(context.message),
                "linear algebra on CUDA needs NVIDIA's cuSOLVER, and %s cannot be used: %s", file,
                reason != nullptr ? reason : "unknown reason");
  return false;
}

const SolverLibrary* solver_library(kernels::KernelContext& context) {
  static std::mutex mutex;
  static std::optional<SolverLibrary> found;
  const std::lock_guard lock(mutex);
  SolverLibrary library;
  if (!found && open_solver_library(TERN_SOLVER_LIBRARY, &library, context)) found = library;
  return found ? &*found : nullptr;
}

}  // namespace tern::cuda::device
