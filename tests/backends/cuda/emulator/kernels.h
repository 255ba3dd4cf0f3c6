#pragma once

#include <tern/backends/cpu/capability.h>

namespace tern::emulator {

/// The CUDA kernels as one more kernel set for the tests of kernels: on host memory, run
/// immediately.
const cpu::Capability& cuda_kernels();

}  // namespace tern::emulator
