#pragma once

#include <tern/core/kernels/backend.h>
#include <tern/core/kernels/device_traits.h>

namespace tern {

/// The CPU has no property that DeviceTraits describes.
inline constexpr kernels::DeviceTraits kCpuTraits{};

/// Returns the CPU backend: the kernels of the set cpu_capability(), and a caching allocator.
kernels::Backend& cpu_backend();

/// Returns the instruction set in use: baseline, avx2, avx512, avx512_bf16 or amx; native in a
/// build for one machine. The default is the best set that both the machine and the build have; the
/// environment variable TERN_CPU_CAPABILITY selects another set. Throws Error when the variable
/// names a set that the machine or the build lacks.
TERN_API const char* cpu_capability();

}  // namespace tern
