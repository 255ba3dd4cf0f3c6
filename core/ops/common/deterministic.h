#pragma once

#include <tern/core/base/strict.h>
#include <tern/core/base/visibility.h>

namespace tern {

/// Lets ops use only algorithms that give the same bits each time, for the whole program: PyTorch's
/// torch.use_deterministic_algorithms(). With it, on CUDA:
///
/// - scatter_add, scatter_reduce and the gradients of gather, pooling and sorting add floating
///   numbers in the order of the indices.
/// - scatter, index_put, put and other ops that write by index store the last of equal indices.
/// - Convolutions and attention use only algorithms of cuDNN that give the same bits each time.
/// - Recurrent layers do not use cuDNN.
/// - The gradient of the input of grid_sample throws Error, or is computed if `warn_only`.
///
/// Other ops, and all ops on the CPU, always give the same bits on the same machine.
TERN_API void use_deterministic_algorithms(StrictBool mode, StrictBool warn_only = false);

/// Returns true after use_deterministic_algorithms(true).
TERN_API bool are_deterministic_algorithms_enabled();

/// Returns true after use_deterministic_algorithms(true, true): ops without such an algorithm run.
TERN_API bool is_deterministic_algorithms_warn_only_enabled();

namespace detail {
/// Throws Error if deterministic algorithms are required, which `op` does not have on its device.
void alert_not_deterministic(const char* op);
}  // namespace detail

}  // namespace tern
