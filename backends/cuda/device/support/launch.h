#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include <tern/backends/cuda/device/support/status.h>

// How every kernel is launched. Without nvcc this file and the kernels compile for the emulator, in
// which the tests run them.

namespace tern::cuda::device {

using namespace kernels;

/// The default number of threads per block.
constexpr unsigned kThreads = 256;
/// The largest number of blocks of a launch along x; kernels for more elements loop.
constexpr std::int64_t kMostBlocks = 0x7fffffff;

/// Returns how many blocks of `per_block` elements cover `count` elements.
inline unsigned blocks_for(std::int64_t count, std::int64_t per_block) {
  const std::int64_t blocks = (count + per_block - 1) / per_block;
  return static_cast<unsigned>(blocks < kMostBlocks ? blocks : kMostBlocks);
}

#ifndef __CUDACC__
void after_emulated_launch(KernelContext& context);
#endif

/// A kernel of any parameters. Launches do not depend on the type, because a program has a thousand
/// kernels and would have the code of a launch for each.
#ifdef __CUDACC__
struct Kernel {
  template <class... Params>
  explicit Kernel(void (*kernel)(Params...)) : address(reinterpret_cast<const void*>(kernel)) {}

  const void* address;
};
#else
using emulator::Kernel;
#endif

/// Queues `kernel` on the stream of the context, whose device is current. `arguments` are the
/// addresses of its arguments, in the types of its parameters. Does nothing for an empty grid,
/// which CUDA would report as an error.
inline void launch_kernel(KernelContext& context, const Kernel& kernel, dim3 grid, dim3 block,
                          const void* const* arguments) {
  if (is_stopped(context) || grid.x == 0) return;
  const cudaLaunchConfig_t config{grid,    block, 0, static_cast<cudaStream_t>(context.stream),
                                  nullptr, 0};
  // Uses this launch's own error: the runtime's record may hold an error of the program's calls.
#ifdef __CUDACC__
  const cudaError_t error =
      cudaLaunchKernelExC(&config, kernel.address, const_cast<void**>(arguments));
#else
  const cudaError_t error = emulator::launch(config, kernel, arguments);
  after_emulated_launch(context);
#endif
  if (error == cudaSuccess) return;
  cudaGetLastError();
  // Out of memory is possible: the first launch of a kernel loads its code.
  fail(context,
       error == cudaErrorMemoryAllocation ? StatusCode::kOutOfMemory : StatusCode::kDeviceFault,
       cudaGetErrorString(error));
}

/// The same with arguments that convert to the types of the parameters.
template <class... Params>
void launch(KernelContext& context, void (*kernel)(Params...), dim3 grid, dim3 block,
            const std::type_identity_t<Params>&... arguments) {
  const void* const addresses[] = {&arguments...};
  launch_kernel(context, Kernel(kernel), grid, block, addresses);
}

}  // namespace tern::cuda::device
