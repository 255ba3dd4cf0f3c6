#pragma once

#include <tern/backends/cpu/capability.h>

namespace tern::emulator {

/// The CUDA kernels, as one more set that the tests of kernels run with: on host memory, at once.
const cpu::Capability& cuda_kernels();

}  // namespace tern::emulator
