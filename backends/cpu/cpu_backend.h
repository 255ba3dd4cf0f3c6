#pragma once

#include <tern/core/kernels/backend.h>

namespace tern {

/// The CPU: kernels of the instruction set that cpu_capability() names, and recycled memory.
kernels::Backend& cpu_backend();

/// The instruction set in use: baseline, avx2, avx512 or avx512_bf16; native in a build for one
/// machine. It is the best that both the machine and the build have, unless the environment
/// variable TERN_CPU_CAPABILITY names another one. Throws Error when that variable names a set that
/// the machine or the build lacks.
TERN_API const char* cpu_capability();

}  // namespace tern
