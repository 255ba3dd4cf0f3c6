#pragma once

#include <cusolverDn.h>

#include <tern/core/kernels/slots.h>

// The functions of cuSOLVER and cuBLAS that the kernels of linear algebra call. The library is
// opened when the first of them runs, so that programs without linear algebra neither need nor
// load it.

namespace tern::cuda::device {

/// The functions with their names in the library, which has two for float and double where a name
/// has an S or D.
#define TERN_SOLVER_FUNCTIONS(X)         \
  X(cublasCreate_v2)                     \
  X(cublasSetStream_v2)                  \
  X(cublasGetStatusName)                 \
  X(cublasSgetrfBatched)                 \
  X(cublasDgetrfBatched)                 \
  X(cublasSgetrsBatched)                 \
  X(cublasDgetrsBatched)                 \
  X(cublasStrsm_v2)                      \
  X(cublasDtrsm_v2)                      \
  X(cublasStrsmBatched)                  \
  X(cublasDtrsmBatched)                  \
  X(cusolverDnCreate)                    \
  X(cusolverDnCreateGesvdjInfo)          \
  X(cusolverDnCreateParams)              \
  X(cusolverDnCreateSyevjInfo)           \
  X(cusolverDnSetStream)                 \
  X(cusolverDnXgeqrf_bufferSize)         \
  X(cusolverDnXgeqrf)                    \
  X(cusolverDnXgetrf_bufferSize)         \
  X(cusolverDnXgetrf)                    \
  X(cusolverDnXgetrs)                    \
  X(cusolverDnXpotrf_bufferSize)         \
  X(cusolverDnXpotrf)                    \
  X(cusolverDnXsyevd_bufferSize)         \
  X(cusolverDnXsyevd)                    \
  X(cusolverDnSgesvdj_bufferSize)        \
  X(cusolverDnDgesvdj_bufferSize)        \
  X(cusolverDnSgesvdj)                   \
  X(cusolverDnDgesvdj)                   \
  X(cusolverDnSgesvdjBatched_bufferSize) \
  X(cusolverDnDgesvdjBatched_bufferSize) \
  X(cusolverDnSgesvdjBatched)            \
  X(cusolverDnDgesvdjBatched)            \
  X(cusolverDnSorgqr_bufferSize)         \
  X(cusolverDnDorgqr_bufferSize)         \
  X(cusolverDnSorgqr)                    \
  X(cusolverDnDorgqr)                    \
  X(cusolverDnSpotrfBatched)             \
  X(cusolverDnDpotrfBatched)             \
  X(cusolverDnSsyevjBatched_bufferSize)  \
  X(cusolverDnDsyevjBatched_bufferSize)  \
  X(cusolverDnSsyevjBatched)             \
  X(cusolverDnDsyevjBatched)

/// A function of the library and its name, for error texts.
template <class Type>
struct SolverFunction {
  const char* name;
  Type* call = nullptr;
};

struct SolverLibrary {
#define TERN_SOLVER_FUNCTION(function) SolverFunction<decltype(::function)> function{#function};
  TERN_SOLVER_FUNCTIONS(TERN_SOLVER_FUNCTION)
#undef TERN_SOLVER_FUNCTION
};

/// Opens the library `file` and finds the functions. Returns false and reports why in the context
/// if that fails.
bool open_solver_library(const char* file, SolverLibrary* library, kernels::KernelContext& context);

/// Returns cuSOLVER's functions, or null if it cannot be opened. A later call tries again.
const SolverLibrary* solver_library(kernels::KernelContext& context);

}  // namespace tern::cuda::device
