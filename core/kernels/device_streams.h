#pragma once

#include <tern/core/kernels/backend.h>

// Streams of CUDA devices, for work beside the program's. Defined in backends/cuda/host, so that no
// layer below the backends needs to know CUDA.

namespace tern::kernels {

/// Returns the Runner of a stream of `device` that the program does not use.
Backend::Runner runner_beside(DeviceIndex device);

/// Waits for the work of the calling thread's current stream of `device`, and throws its error.
void synchronize_stream(DeviceIndex device);

}  // namespace tern::kernels
